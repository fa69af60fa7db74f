-- The schema of the first release: the steps 001 to 060 of its development as one file. Times are milliseconds since 1970
-- (UTC) in every table.

CREATE TABLE visitors (
  id         TEXT PRIMARY KEY,          -- sent to the service as fromId
  site       TEXT NOT NULL,
  created    BIGINT NOT NULL,
  head       BIGINT NOT NULL DEFAULT 0, -- highest number of the thread
  read       BIGINT NOT NULL DEFAULT 0, -- the visitor has seen everything up to this number
  generation BIGINT NOT NULL DEFAULT 1, -- sessions of lower generations are invalid
  contact    TEXT,                      -- the service's contact id; NULL until the service has named it
  campaign   TEXT,                      -- set with the first message; NULL: not yet, empty: none
  claims     TEXT,                      -- JSON: the claims of a signed identity that the site's routes use
  subject    TEXT,                      -- `sub` of the signed identity, or the owner's id for a user whom the owner wrote to
  page       TEXT,                      -- page of the last message: address with path and query
  page_title TEXT
);
CREATE INDEX visitors_site ON visitors (site, created, id);

-- Ids of deleted visitors. They are never used again.
CREATE TABLE forgotten (
  visitor   TEXT PRIMARY KEY,
  at        BIGINT NOT NULL,
  successor TEXT  -- the user who took over the thread; replies to the old id go there
);
CREATE INDEX forgotten_successor ON forgotten (successor) WHERE successor IS NOT NULL;

-- Messages with their newest state. Every change takes the visitor's next number.
CREATE TABLE messages (
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  pos      BIGINT NOT NULL, -- number at which it was written
  n        BIGINT NOT NULL, -- number of its last change; equals `pos` while unchanged
  id       TEXT NOT NULL,
  author   TEXT NOT NULL,   -- visitor | reply
  at       BIGINT NOT NULL,
  text     TEXT NOT NULL,
  state    TEXT,            -- visitor's message: sent | delivered | failed
  reason   TEXT,            -- why it failed
  external TEXT,            -- reply: account and the service's message id
  sid      TEXT,            -- visitor's message: messageSid, the same in every attempt (R-223, R-462)
  media    TEXT,            -- visitor's message: key of its file
  reaction TEXT,            -- reply: the visitor's emoji
  attempts BIGINT,          -- failed message: number of attempts
  error    TEXT,            -- failed message: the service's last answer
  PRIMARY KEY (visitor, pos)
);
CREATE UNIQUE INDEX messages_id ON messages (visitor, id);
CREATE UNIQUE INDEX messages_external ON messages (external) WHERE external IS NOT NULL;
-- An unchanged message is found by its primary key (`n` = `pos`), so only changed ones need this index.
CREATE UNIQUE INDEX messages_changed ON messages (visitor, n) WHERE n <> pos;
CREATE INDEX messages_failed ON messages (visitor, pos) WHERE state = 'failed';

-- What the service has not accepted yet. A visitor's rows are sent one at a time, in order of `turn`.
-- A row without `reaction` carries the message at `pos`; a row with `reaction` carries that emoji.
CREATE TABLE outbox (
  visitor      TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  turn         BIGINT NOT NULL, -- number of the change that asked for the delivery
  pos          BIGINT NOT NULL, -- the message
  account      TEXT NOT NULL,
  attempts     BIGINT NOT NULL DEFAULT 0,
  due          BIGINT NOT NULL, -- earliest time of the next attempt
  expires      BIGINT NOT NULL, -- no attempt after this time
  reaction     TEXT,
  reaction_sid TEXT,            -- messageSid of the reaction
  sender       TEXT,            -- fromId when it is not the visitor's id: written before the visitor logged in
  error        TEXT,            -- the service's last answer
  PRIMARY KEY (visitor, turn)
);

-- Files that visitors uploaded. The file store holds the bytes under `key`.
CREATE TABLE media (
  key     TEXT PRIMARY KEY,
  visitor TEXT,             -- NULL: the visitor was deleted; bytes and row are deleted next
  site    TEXT NOT NULL,
  name    TEXT NOT NULL,    -- for display only
  type    TEXT NOT NULL,    -- MIME type, detected from the bytes
  size    BIGINT NOT NULL,  -- bytes
  width   BIGINT,           -- pixels; pictures only
  height  BIGINT,
  created BIGINT NOT NULL,
  sent    BIGINT NOT NULL DEFAULT 0 -- 1: a message refers to it
);
CREATE INDEX media_visitor ON media (visitor);
CREATE INDEX media_site ON media (site, size);
CREATE INDEX media_unsent ON media (created) WHERE sent = 0 OR visitor IS NULL;

-- Sessions that were logged out, until their tokens expire.
CREATE TABLE revoked (
  session TEXT PRIMARY KEY,
  expires BIGINT NOT NULL
);
CREATE INDEX revoked_expires ON revoked (expires);

-- How often a session's token was replaced. A row is written when a client first uses the new token; older tokens are
-- invalid from then on.
CREATE TABLE session_turns (
  session TEXT PRIMARY KEY,
  turn    BIGINT NOT NULL,  -- of the token in use
  since   BIGINT NOT NULL,  -- first use of that token
  expires BIGINT NOT NULL   -- every token of the session has expired by then
);
CREATE INDEX session_turns_expires ON session_turns (expires);

-- Calls that must never be made twice although the service has no idempotency key for them (R-452, R-482): credit grants
-- and messages that the owner sends. `calling` is committed before the request leaves; only an answer or a person ends it.
CREATE TABLE ledger (
  kind     TEXT NOT NULL,           -- grant | send
  account  TEXT NOT NULL,
  key      TEXT NOT NULL,           -- idempotency key
  lane     TEXT NOT NULL,           -- one call per lane at a time: e-mail of the sub-account, or visitor
  digest   TEXT NOT NULL,           -- of the request; the same key with another request is refused
  content  TEXT NOT NULL,           -- JSON: the request
  state    TEXT NOT NULL,           -- received | intent | calling | done | unknown | refused | dismissed
  reason   TEXT,                    -- why it has this state
  result   TEXT,                    -- JSON: the service's answer
  shown    TEXT,                    -- send: id of the reply that shows it to the visitor
  echo     TEXT,                    -- send: the callback that came for it under another id (R-451)
  node     TEXT,                    -- process that makes or made the call
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,         -- earliest time of the next attempt
  created  BIGINT NOT NULL,
  changed  BIGINT NOT NULL,
  PRIMARY KEY (kind, account, key)
);
CREATE UNIQUE INDEX ledger_calling ON ledger (kind, account, lane) WHERE state = 'calling';
CREATE INDEX ledger_open ON ledger (kind, state, due) WHERE state IN ('received', 'intent', 'calling', 'unknown');
CREATE INDEX ledger_lane ON ledger (kind, lane, created);
CREATE INDEX ledger_created ON ledger (kind, account, created, key);

-- Every state change of every ledger entry, with its actor.
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

-- Credits granted without a person's approval, per account and UTC day.
CREATE TABLE credit_days (
  account TEXT NOT NULL,
  day     TEXT NOT NULL,
  spent   BIGINT NOT NULL, -- hundredths of a credit
  PRIMARY KEY (account, day)
);

-- Tokens of the server API. Only a token's hash is stored.
CREATE TABLE tokens (
  id      TEXT PRIMARY KEY,
  site    TEXT NOT NULL,
  name    TEXT NOT NULL,
  scopes  TEXT NOT NULL,       -- separated by spaces
  hash    TEXT NOT NULL,       -- SHA-256, base64url
  created BIGINT NOT NULL,
  revoked BIGINT               -- NULL: valid
);

-- Answers to requests with an Idempotency-Key, so that a repeated request gets the first answer.
CREATE TABLE requests (
  token  TEXT NOT NULL,
  key    TEXT NOT NULL,
  digest TEXT NOT NULL,        -- of method, path and body
  at     BIGINT NOT NULL,
  status BIGINT,               -- NULL while the request is in progress
  body   TEXT,
  path   TEXT,                 -- names the visitor whom the answer is about
  PRIMARY KEY (token, key)
);
CREATE INDEX requests_at ON requests (at);

-- Contact details that a visitor gave, or the owner's backend. The next message carries them to the service (R-101).
CREATE TABLE details (
  visitor    TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  first_name TEXT,
  last_name  TEXT,
  email      TEXT,
  phone      TEXT,                      -- as given
  version    BIGINT NOT NULL,           -- rises with every change
  told       BIGINT NOT NULL DEFAULT 0  -- version that the service has
);

-- Leads that are to become contacts on lists.
CREATE TABLE leads (
  visitor    TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  id         TEXT NOT NULL,    -- made by the client
  site       TEXT NOT NULL,
  account    TEXT NOT NULL,
  first_name TEXT,
  last_name  TEXT,
  email      TEXT,
  phone      TEXT,             -- E.164
  consent    TEXT,             -- the sentence that the visitor agreed to
  own        BIGINT NOT NULL,  -- 1: create a contact for it; 0: use the contact of the visitor's chat
  state      TEXT NOT NULL,    -- open | done | refused
  problem    TEXT,             -- why it is not done yet, or why it was refused
  contact    TEXT,             -- the service's contact id; NULL until it is known
  attempts   BIGINT NOT NULL DEFAULT 0,
  due        BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  field      TEXT,             -- refused lead: phone | email, the field that the visitor can correct
  lists      TEXT,             -- JSON: the lead's own lists; NULL: those of its site
  PRIMARY KEY (visitor, id)
);
CREATE INDEX leads_open ON leads (due) WHERE state = 'open';
CREATE INDEX leads_site ON leads (site, at, visitor, id);

-- Contacts that were added to lists.
CREATE TABLE memberships (
  account TEXT NOT NULL,
  contact TEXT NOT NULL,
  list    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (account, contact, list)
);

-- Outbox and log of the webhook to the owner's backend.
CREATE TABLE events (
  id       TEXT PRIMARY KEY,  -- webhook-id
  site     TEXT NOT NULL,
  visitor  TEXT,              -- the event is deleted with this visitor
  type     TEXT NOT NULL,
  body     TEXT NOT NULL,     -- JSON, exactly as it is signed and sent
  at       BIGINT NOT NULL,
  state    TEXT NOT NULL,     -- waiting | delivered | failed
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,
  status   BIGINT,            -- HTTP status of the last attempt; 0: no answer
  problem  TEXT
);
CREATE INDEX events_due ON events (due) WHERE state = 'waiting';
CREATE INDEX events_site ON events (site, at, id);
CREATE INDEX events_visitor ON events (visitor) WHERE visitor IS NOT NULL;
CREATE INDEX events_at ON events (at);

-- Visitors who asked for replies by e-mail while they are away.
CREATE TABLE mail_wishes (
  visitor TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  page    TEXT NOT NULL,             -- link in the mail: origin and path
  locale  TEXT NOT NULL,
  told    BIGINT NOT NULL DEFAULT 0, -- replies up to this position were mailed
  looked  BIGINT NOT NULL DEFAULT 0, -- the thread was checked up to this number
  due     BIGINT NOT NULL DEFAULT 0  -- earliest time of the next check
);

-- Outbox and log of the mails to visitors. The text is made from the thread when a mail is sent.
CREATE TABLE mails (
  id       TEXT PRIMARY KEY,
  visitor  TEXT NOT NULL REFERENCES visitors (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL,   -- replies | transcript
  address  TEXT NOT NULL,
  since    BIGINT NOT NULL, -- messages after this position
  upto     BIGINT NOT NULL, -- and up to this one
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

-- Addresses that unsubscribed from a site's mails.
CREATE TABLE mail_stops (
  site    TEXT NOT NULL,
  address TEXT NOT NULL, -- keyed hash of the address
  at      BIGINT NOT NULL,
  PRIMARY KEY (site, address)
);

-- Daily quotas, and how much of each was used.
CREATE TABLE quotas (
  name TEXT NOT NULL,
  day  TEXT NOT NULL, -- UTC
  used BIGINT NOT NULL,
  PRIMARY KEY (name, day)
);

-- Ratings of conversations, one per visitor.
CREATE TABLE ratings (
  visitor TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  site    TEXT NOT NULL,
  score   BIGINT,          -- 1 is the worst; NULL: asked, and declined
  best    BIGINT NOT NULL, -- the highest possible score
  comment TEXT,
  at      BIGINT NOT NULL
);
CREATE INDEX ratings_site ON ratings (site, at, visitor);

-- Blocked visitors and networks of a site.
CREATE TABLE blocks (
  id     TEXT PRIMARY KEY,
  site   TEXT NOT NULL,
  value  TEXT NOT NULL, -- visitor id, IP address, or CIDR block
  reason TEXT NOT NULL,
  actor  TEXT NOT NULL,
  at     BIGINT NOT NULL,
  UNIQUE (site, value)
);
