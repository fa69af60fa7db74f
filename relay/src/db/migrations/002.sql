-- Files that visitors uploaded. The bytes lie under `key` in the store of files.
CREATE TABLE media (
  key     TEXT PRIMARY KEY,
  visitor TEXT,             -- NULL: nobody's any more, bytes and row are about to go
  site    TEXT NOT NULL,
  name    TEXT NOT NULL,    -- for display only
  type    TEXT NOT NULL,    -- MIME type, from the bytes
  size    BIGINT NOT NULL,  -- bytes
  width   BIGINT,           -- pixels, pictures only
  height  BIGINT,
  created BIGINT NOT NULL,  -- ms
  sent    BIGINT NOT NULL DEFAULT 0 -- 1: a message carries it
);
CREATE INDEX media_visitor ON media (visitor);
CREATE INDEX media_site ON media (site, size);
CREATE INDEX media_unsent ON media (created) WHERE sent = 0 OR visitor IS NULL;

ALTER TABLE messages ADD COLUMN media TEXT;    -- visitor's: key of its file
ALTER TABLE messages ADD COLUMN reaction TEXT; -- reply's: the visitor's emoji

-- A parcel without `reaction` carries the message at `pos`; one with it carries that emoji, under a messageSid of its own.
ALTER TABLE outbox ADD COLUMN reaction     TEXT;
ALTER TABLE outbox ADD COLUMN reaction_sid TEXT;
-- The id to send under, when it is not the visitor's own: what an anonymous visitor wrote before they logged in.
ALTER TABLE outbox ADD COLUMN sender TEXT;

-- The user who took over the thread of an id that is never taken again; replies to the old id go there.
ALTER TABLE forgotten ADD COLUMN successor TEXT;
CREATE INDEX forgotten_successor ON forgotten (successor) WHERE successor IS NOT NULL;

ALTER TABLE visitors ADD COLUMN campaign TEXT; -- fixed with the first message; NULL: not yet, empty: none
ALTER TABLE visitors ADD COLUMN claims   TEXT; -- JSON: claims of a signed identity that the site's routes look at

-- Sessions that were logged out, until their tokens would have ended anyway.
CREATE TABLE revoked (
  session TEXT PRIMARY KEY,
  expires BIGINT NOT NULL
);
CREATE INDEX revoked_expires ON revoked (expires);
