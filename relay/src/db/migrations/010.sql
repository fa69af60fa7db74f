-- Calls that must never be made twice, because the service knows no key for them (R-452, R-482): credits granted, messages
-- sent from the owner's side. `calling` is committed before a byte leaves, and nothing but an answer or a person ends it.
CREATE TABLE ledger (
  kind     TEXT NOT NULL,           -- grant | send
  account  TEXT NOT NULL,
  key      TEXT NOT NULL,           -- whoever asks twice with the same key asks once
  lane     TEXT NOT NULL,           -- one call of a lane at a time: the sub-account's e-mail, the visitor
  digest   TEXT NOT NULL,           -- of what was asked: the same key with other content is refused
  content  TEXT NOT NULL,           -- JSON: what is to be called
  state    TEXT NOT NULL,           -- received | intent | calling | done | unknown | refused
  reason   TEXT,                    -- why it is where it is
  result   TEXT,                    -- JSON: what the service answered
  shown    TEXT,                    -- send: the reply under which the visitor sees it
  echo     TEXT,                    -- send: the reply that came back for it under another id (R-451)
  node     TEXT,                    -- the process that calls or called
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,         -- ms: not before
  created  BIGINT NOT NULL,
  changed  BIGINT NOT NULL,
  PRIMARY KEY (kind, account, key)
);
CREATE UNIQUE INDEX ledger_calling ON ledger (kind, account, lane) WHERE state = 'calling';
CREATE INDEX ledger_open ON ledger (kind, state, due) WHERE state IN ('received', 'intent', 'calling', 'unknown');
CREATE INDEX ledger_lane ON ledger (kind, lane, created);
CREATE INDEX ledger_created ON ledger (kind, account, created, key);

-- Every step of every entry, and who took it.
CREATE TABLE ledger_history (
  kind    TEXT NOT NULL,
  account TEXT NOT NULL,
  key     TEXT NOT NULL,
  step    BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  state   TEXT NOT NULL,
  actor   TEXT NOT NULL,
  reason  TEXT,
  PRIMARY KEY (kind, account, key, step)
);

-- What was let through without a person, per account and UTC day, in hundredths of a credit.
CREATE TABLE credit_days (
  account TEXT NOT NULL,
  day     TEXT NOT NULL,
  spent   BIGINT NOT NULL,
  PRIMARY KEY (account, day)
);
