CREATE TABLE visitors (
  id         TEXT PRIMARY KEY,          -- fromId at the service
  site       TEXT NOT NULL,
  created    BIGINT NOT NULL,           -- ms
  head       BIGINT NOT NULL DEFAULT 0, -- newest number of the thread
  read       BIGINT NOT NULL DEFAULT 0, -- number up to which the visitor has seen everything
  generation BIGINT NOT NULL DEFAULT 1, -- sessions of older generations are void
  contact    TEXT                       -- the service's contact id, once it told us
);

-- Visitors who deleted their chat: their ids are never taken again.
CREATE TABLE forgotten (
  visitor TEXT PRIMARY KEY,
  at      BIGINT NOT NULL
);

-- A message and its newest state. Every change takes the visitor's next number: `pos` when written, `n` when last changed.
CREATE TABLE messages (
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  pos      BIGINT NOT NULL,
  n        BIGINT NOT NULL,
  id       TEXT NOT NULL,
  author   TEXT NOT NULL,  -- visitor | reply
  at       BIGINT NOT NULL,
  text     TEXT NOT NULL,
  state    TEXT,           -- visitor's: sent | delivered | failed
  reason   TEXT,           -- why it failed
  external TEXT,           -- reply's: account and the service's message id
  sid      TEXT,           -- visitor's: messageSid, the same in every try (R-223, R-462)
  PRIMARY KEY (visitor, pos)
);
CREATE UNIQUE INDEX messages_id ON messages (visitor, id);
CREATE UNIQUE INDEX messages_n ON messages (visitor, n);
CREATE UNIQUE INDEX messages_external ON messages (external) WHERE external IS NOT NULL;

-- The part of the log that the service has not taken yet. A visitor's rows go out one by one, in order of `turn`.
CREATE TABLE outbox (
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  turn     BIGINT NOT NULL, -- the number that asked for the delivery
  pos      BIGINT NOT NULL, -- the message
  account  TEXT NOT NULL,
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL, -- ms: not before
  expires  BIGINT NOT NULL, -- ms: not after
  PRIMARY KEY (visitor, turn)
);
CREATE INDEX outbox_expires ON outbox (expires);
