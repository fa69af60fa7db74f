-- What visitors think of their conversations, once each.
CREATE TABLE ratings (
  visitor TEXT PRIMARY KEY REFERENCES visitors (id) ON DELETE CASCADE,
  site    TEXT NOT NULL,
  score   BIGINT,          -- from 1, the worst; NULL: asked, and declined
  best    BIGINT NOT NULL, -- the highest score there was to give
  comment TEXT,
  at      BIGINT NOT NULL  -- ms
);
CREATE INDEX ratings_site ON ratings (site, at, visitor);
