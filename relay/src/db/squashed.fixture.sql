-- The migrations 001 to 060 as they were before they became one file: they make a database of that time.

-- 001.sql
CREATE TABLE visitors (
  id         TEXT PRIMARY KEY,
  site       TEXT NOT NULL,
  created    BIGINT NOT NULL,
  head       BIGINT NOT NULL DEFAULT 0,
  read       BIGINT NOT NULL DEFAULT 0,
  generation BIGINT NOT NULL DEFAULT 1,
  contact    TEXT
);
CREATE TABLE forgotten (
  visitor TEXT PRIMARY KEY,
  at      BIGINT NOT NULL
);
CREATE TABLE messages (
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  pos      BIGINT NOT NULL,
  n        BIGINT NOT NULL,
  id       TEXT NOT NULL,
  author   TEXT NOT NULL,
  at       BIGINT NOT NULL,
  text     TEXT NOT NULL,
  state    TEXT,
  reason   TEXT,
  external TEXT,
  sid      TEXT,
  PRIMARY KEY (visitor, pos)
);
CREATE UNIQUE INDEX messages_id ON messages (visitor, id);
CREATE UNIQUE INDEX messages_n ON messages (visitor, n);
CREATE UNIQUE INDEX messages_external ON messages (external) WHERE external IS NOT NULL;
CREATE TABLE outbox (
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  turn     BIGINT NOT NULL,
  pos      BIGINT NOT NULL,
  account  TEXT NOT NULL,
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,
  expires  BIGINT NOT NULL,
  PRIMARY KEY (visitor, turn)
);
CREATE INDEX outbox_expires ON outbox (expires);

-- 002.sql
CREATE TABLE media (
  key     TEXT PRIMARY KEY,
  visitor TEXT,
  site    TEXT NOT NULL,
  name    TEXT NOT NULL,
  type    TEXT NOT NULL,
  size    BIGINT NOT NULL,
  width   BIGINT,
  height  BIGINT,
  created BIGINT NOT NULL,
  sent    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX media_visitor ON media (visitor);
CREATE INDEX media_site ON media (site, size);
CREATE INDEX media_unsent ON media (created) WHERE sent = 0 OR visitor IS NULL;
ALTER TABLE messages ADD COLUMN media TEXT;
ALTER TABLE messages ADD COLUMN reaction TEXT;
ALTER TABLE outbox ADD COLUMN reaction     TEXT;
ALTER TABLE outbox ADD COLUMN reaction_sid TEXT;
ALTER TABLE outbox ADD COLUMN sender TEXT;
ALTER TABLE forgotten ADD COLUMN successor TEXT;
CREATE INDEX forgotten_successor ON forgotten (successor) WHERE successor IS NOT NULL;
ALTER TABLE visitors ADD COLUMN campaign TEXT;
ALTER TABLE visitors ADD COLUMN claims   TEXT;
CREATE TABLE revoked (
  session TEXT PRIMARY KEY,
  expires BIGINT NOT NULL
);
CREATE INDEX revoked_expires ON revoked (expires);

-- 010.sql
CREATE TABLE ledger (
  kind     TEXT NOT NULL,
  account  TEXT NOT NULL,
  key      TEXT NOT NULL,
  lane     TEXT NOT NULL,
  digest   TEXT NOT NULL,
  content  TEXT NOT NULL,
  state    TEXT NOT NULL,
  reason   TEXT,
  result   TEXT,
  shown    TEXT,
  echo     TEXT,
  node     TEXT,
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,
  created  BIGINT NOT NULL,
  changed  BIGINT NOT NULL,
  PRIMARY KEY (kind, account, key)
);
CREATE UNIQUE INDEX ledger_calling ON ledger (kind, account, lane) WHERE state = 'calling';
CREATE INDEX ledger_open ON ledger (kind, state, due) WHERE state IN ('received', 'intent', 'calling', 'unknown');
CREATE INDEX ledger_lane ON ledger (kind, lane, created);
CREATE INDEX ledger_created ON ledger (kind, account, created, key);
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
CREATE TABLE credit_days (
  account TEXT NOT NULL,
  day     TEXT NOT NULL,
  spent   BIGINT NOT NULL,
  PRIMARY KEY (account, day)
);

-- 011.sql
CREATE TABLE tokens (
  id      TEXT PRIMARY KEY,
  site    TEXT NOT NULL,
  name    TEXT NOT NULL,
  scopes  TEXT NOT NULL,
  hash    TEXT NOT NULL,
  created BIGINT NOT NULL,
  revoked BIGINT
);
CREATE TABLE requests (
  token  TEXT NOT NULL,
  key    TEXT NOT NULL,
  digest TEXT NOT NULL,
  at     BIGINT NOT NULL,
  status BIGINT,
  body   TEXT,
  PRIMARY KEY (token, key)
);
CREATE INDEX requests_at ON requests (at);

-- 012.sql
CREATE INDEX visitors_site ON visitors (site, created, id);
CREATE INDEX messages_failed ON messages (visitor, pos) WHERE state = 'failed';

-- 013.sql
CREATE TABLE details (
  visitor    TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  first_name TEXT,
  last_name  TEXT,
  email      TEXT,
  phone      TEXT,
  version    BIGINT NOT NULL,
  told       BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE leads (
  visitor    TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  id         TEXT NOT NULL,
  site       TEXT NOT NULL,
  account    TEXT NOT NULL,
  first_name TEXT,
  last_name  TEXT,
  email      TEXT,
  phone      TEXT,
  consent    TEXT,
  own        BIGINT NOT NULL,
  state      TEXT NOT NULL,
  problem    TEXT,
  contact    TEXT,
  attempts   BIGINT NOT NULL DEFAULT 0,
  due        BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  PRIMARY KEY (visitor, id)
);
CREATE INDEX leads_open ON leads (due) WHERE state = 'open';
CREATE INDEX leads_site ON leads (site, at, visitor, id);
CREATE TABLE memberships (
  account TEXT NOT NULL,
  contact TEXT NOT NULL,
  list    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (account, contact, list)
);

-- 014.sql
CREATE TABLE events (
  id       TEXT PRIMARY KEY,
  site     TEXT NOT NULL,
  visitor  TEXT,
  type     TEXT NOT NULL,
  body     TEXT NOT NULL,
  at       BIGINT NOT NULL,
  state    TEXT NOT NULL,
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,
  status   BIGINT,
  problem  TEXT
);
CREATE INDEX events_due ON events (due) WHERE state = 'waiting';
CREATE INDEX events_site ON events (site, at, id);
CREATE INDEX events_visitor ON events (visitor) WHERE visitor IS NOT NULL;
CREATE INDEX events_at ON events (at);

-- 015.sql
ALTER TABLE leads ADD COLUMN field TEXT;
ALTER TABLE leads ADD COLUMN lists TEXT;
ALTER TABLE requests ADD COLUMN path TEXT;

-- 020.sql
CREATE TABLE mail_wishes (
  visitor TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  page    TEXT NOT NULL,
  locale  TEXT NOT NULL,
  told    BIGINT NOT NULL DEFAULT 0,
  looked  BIGINT NOT NULL DEFAULT 0,
  due     BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE mails (
  id       TEXT PRIMARY KEY,
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL,
  address  TEXT NOT NULL,
  since    BIGINT NOT NULL,
  upto     BIGINT NOT NULL,
  page     TEXT NOT NULL,
  locale   TEXT NOT NULL,
  state    TEXT NOT NULL,
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,
  problem  TEXT,
  at       BIGINT NOT NULL
);
CREATE INDEX mails_open ON mails (due) WHERE state = 'waiting';
CREATE INDEX mails_visitor ON mails (visitor, at);
CREATE INDEX mails_at ON mails (at);
CREATE TABLE mail_stops (
  site    TEXT NOT NULL,
  address TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (site, address)
);
CREATE TABLE quotas (
  name TEXT NOT NULL,
  day  TEXT NOT NULL,
  used BIGINT NOT NULL,
  PRIMARY KEY (name, day)
);

-- 021.sql
CREATE TABLE ratings (
  visitor TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  site    TEXT NOT NULL,
  score   BIGINT,
  best    BIGINT NOT NULL,
  comment TEXT,
  at      BIGINT NOT NULL
);
CREATE INDEX ratings_site ON ratings (site, at, visitor);

-- 022.sql
CREATE TABLE blocks (
  id     TEXT PRIMARY KEY,
  site   TEXT NOT NULL,
  value  TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor  TEXT NOT NULL,
  at     BIGINT NOT NULL,
  UNIQUE (site, value)
);

-- 023.sql
INSERT INTO visitors (id, site, created)
  SELECT lane, substr(min(key), 1, instr(min(key), '/') - 1), min(created) FROM ledger
  WHERE kind = 'send' AND substr(lane, 1, 2) = 'u_' AND lane NOT IN (SELECT id FROM visitors)
    AND lane NOT IN (SELECT visitor FROM forgotten)
  GROUP BY lane;
UPDATE visitors SET site = (SELECT substr(min(key), 1, instr(min(key), '/') - 1) FROM ledger
    WHERE kind = 'send' AND lane = visitors.id)
  WHERE substr(id, 1, 2) = 'u_' AND EXISTS (SELECT 1 FROM ledger
    WHERE kind = 'send' AND lane = visitors.id AND substr(key, 1, length(visitors.site) + 1) <> visitors.site || '/');

-- 030.sql
ALTER TABLE outbox ADD COLUMN error TEXT;
ALTER TABLE messages ADD COLUMN attempts BIGINT;
ALTER TABLE messages ADD COLUMN error TEXT;

-- 040.sql
ALTER TABLE visitors ADD COLUMN subject    TEXT;
ALTER TABLE visitors ADD COLUMN page       TEXT;
ALTER TABLE visitors ADD COLUMN page_title TEXT;

-- 041.sql
UPDATE ledger SET state = 'dismissed' WHERE kind = 'grant' AND state = 'refused';

-- 050.sql
DROP INDEX outbox_expires;
DROP INDEX messages_n;
CREATE UNIQUE INDEX messages_changed ON messages (visitor, n) WHERE n <> pos;

-- 060.sql
CREATE TABLE session_turns (
  session TEXT PRIMARY KEY,
  turn    BIGINT NOT NULL,
  since   BIGINT NOT NULL,
  expires BIGINT NOT NULL
);
CREATE INDEX session_turns_expires ON session_turns (expires);
