-- What the owner's backend is told, and how each telling went: the outbox of the webhook and its log.
CREATE TABLE events (
  id       TEXT PRIMARY KEY,  -- webhook-id
  site     TEXT NOT NULL,
  visitor  TEXT,              -- whom it is about; goes with them
  type     TEXT NOT NULL,
  body     TEXT NOT NULL,     -- JSON, as it is signed and sent
  at       BIGINT NOT NULL,
  state    TEXT NOT NULL,     -- waiting | delivered | failed
  attempts BIGINT NOT NULL DEFAULT 0,
  due      BIGINT NOT NULL,
  status   BIGINT,            -- of the last try; 0: no answer
  problem  TEXT
);
CREATE INDEX events_due ON events (due) WHERE state = 'waiting';
CREATE INDEX events_site ON events (site, at, id);
CREATE INDEX events_visitor ON events (visitor) WHERE visitor IS NOT NULL;
CREATE INDEX events_at ON events (at);
