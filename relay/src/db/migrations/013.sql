-- What a visitor said of themselves, or the owner's token did. The service hears of it with the next message (R-101).
CREATE TABLE details (
  visitor    TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  first_name TEXT,
  last_name  TEXT,
  email      TEXT,
  phone      TEXT,             -- as given
  version    BIGINT NOT NULL,  -- rises with every change
  told       BIGINT NOT NULL DEFAULT 0 -- version that the service was told
);

-- Leads on their way to becoming contacts on lists.
CREATE TABLE leads (
  visitor    TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  id         TEXT NOT NULL,    -- the client's
  site       TEXT NOT NULL,
  account    TEXT NOT NULL,
  first_name TEXT,
  last_name  TEXT,
  email      TEXT,
  phone      TEXT,             -- E.164
  consent    TEXT,             -- the sentence that was agreed to
  own        BIGINT NOT NULL,  -- 1: a contact is made for it; 0: the contact of the visitor's chat is waited for
  state      TEXT NOT NULL,    -- open | done | refused
  problem    TEXT,             -- why it is not done yet, or why it was refused
  contact    TEXT,             -- the service's id, once known
  attempts   BIGINT NOT NULL DEFAULT 0,
  due        BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  PRIMARY KEY (visitor, id)
);
CREATE INDEX leads_open ON leads (due) WHERE state = 'open';
CREATE INDEX leads_site ON leads (site, at, visitor, id);

-- Who was put on which list, once each.
CREATE TABLE memberships (
  account TEXT NOT NULL,
  contact TEXT NOT NULL,
  list    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (account, contact, list)
);
