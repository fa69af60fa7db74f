-- What the service said last of a message that it has not taken, and how often it was tried. A failed message keeps both.
ALTER TABLE outbox ADD COLUMN error TEXT;
ALTER TABLE messages ADD COLUMN attempts BIGINT;
ALTER TABLE messages ADD COLUMN error TEXT;
