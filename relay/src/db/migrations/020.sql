-- Visitors who want the replies by e-mail while they are away.
CREATE TABLE mail_wishes (
  visitor TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  page    TEXT NOT NULL,             -- to come back to: origin and path
  locale  TEXT NOT NULL,
  told    BIGINT NOT NULL DEFAULT 0, -- place up to which replies went into a mail
  looked  BIGINT NOT NULL DEFAULT 0, -- number of the thread's that was looked at
  due     BIGINT NOT NULL DEFAULT 0  -- not looked at again before
);

-- Mails to visitors: the outbox, and then the log. Their words are made of the thread when they are sent.
CREATE TABLE mails (
  id       TEXT PRIMARY KEY,
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL,   -- replies | transcript
  address  TEXT NOT NULL,
  since    BIGINT NOT NULL, -- places after this one…
  upto     BIGINT NOT NULL, -- …and up to this one
  page     TEXT NOT NULL,
  locale   TEXT NOT NULL,
  state    TEXT NOT NULL,   -- waiting | sending | sent | failed | unknown
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,
  problem  TEXT,
  at       BIGINT NOT NULL
);
CREATE INDEX mails_open ON mails (due) WHERE state = 'waiting';
CREATE INDEX mails_visitor ON mails (visitor, at);
CREATE INDEX mails_at ON mails (at);

-- Who wants no mail of a site any more: a keyed hash of the address, so that nobody is named here.
CREATE TABLE mail_stops (
  site    TEXT NOT NULL,
  address TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (site, address)
);

-- What may be done only so often a day, and how often it was.
CREATE TABLE quotas (
  name TEXT NOT NULL,
  day  TEXT NOT NULL, -- UTC
  used BIGINT NOT NULL,
  PRIMARY KEY (name, day)
);
