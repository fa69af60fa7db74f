-- The tries of an event for the owner's backend: a JSON list of time, status and problem, oldest first.
ALTER TABLE events ADD COLUMN tries TEXT NOT NULL DEFAULT '[]';

-- Problems that are over, and that began again later: `alerts` keeps the newest of each kind and subject.
CREATE TABLE past_alerts (
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  since   BIGINT NOT NULL,
  ended   BIGINT NOT NULL,
  problem TEXT NOT NULL,
  PRIMARY KEY (kind, subject, since)
);
CREATE INDEX past_alerts_since ON past_alerts (since)
