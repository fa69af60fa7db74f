-- What the relay counted, by minute for two days and by hour for five weeks: the plots of the admin pages.
CREATE TABLE series (
  step BIGINT NOT NULL,  -- seconds
  at   BIGINT NOT NULL,  -- begin of the step
  node TEXT NOT NULL,    -- process that counted; empty: the sum of all
  body TEXT NOT NULL,    -- JSON
  PRIMARY KEY (step, at, node)
);

-- Logins to the admin pages. Only a session's hash is stored.
CREATE TABLE admin_sessions (
  hash    TEXT PRIMARY KEY,
  created BIGINT NOT NULL,
  seen    BIGINT NOT NULL, -- last use
  address TEXT NOT NULL    -- from which it was opened
);

-- What operators did on the admin pages.
CREATE TABLE audit (
  id      TEXT PRIMARY KEY,
  at      BIGINT NOT NULL,
  actor   TEXT NOT NULL,   -- admin, and the address
  action  TEXT NOT NULL,
  subject TEXT NOT NULL    -- what it was done to: ids, never words
);
CREATE INDEX audit_at ON audit (at, id);
