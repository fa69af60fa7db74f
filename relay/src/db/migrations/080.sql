-- For the operator: when messages were settled and seen, failed tries, fields of callbacks, readers, alerts.
ALTER TABLE messages ADD COLUMN settled BIGINT;  -- visitor's message: when it was delivered or failed
ALTER TABLE visitors ADD COLUMN read_at BIGINT;  -- when `read` was last raised

-- Tries of a message that the service did not accept. A message that is accepted at the first try has no row.
CREATE TABLE tries (
  visitor TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  pos     BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  answer  TEXT,            -- status and error of the service, without words of the visitor
  PRIMARY KEY (visitor, pos, attempt)
);

-- The names of the fields that callbacks had, and when each came for the first time. Never their values.
CREATE TABLE callback_fields (
  kind  TEXT NOT NULL,     -- reply | recharge
  field TEXT NOT NULL,     -- dotted path
  type  TEXT NOT NULL,     -- string | number | boolean | null | list
  at    BIGINT NOT NULL,
  PRIMARY KEY (kind, field)
);

ALTER TABLE admin_sessions ADD COLUMN role TEXT NOT NULL DEFAULT 'admin'; -- admin | reader
ALTER TABLE admin_sessions ADD COLUMN site TEXT;                          -- a reader of one site only; NULL: all sites

-- What operators were told about. A row without `ended` is a problem that goes on.
CREATE TABLE alerts (
  kind    TEXT NOT NULL,   -- account | failures | disk | budget | ledger
  subject TEXT NOT NULL,   -- account or site; empty: the relay
  since   BIGINT NOT NULL,
  ended   BIGINT,
  problem TEXT NOT NULL,
  PRIMARY KEY (kind, subject)
);
