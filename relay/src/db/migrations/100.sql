-- Whether the email address came from a signed identity: 1. Typed by the visitor, or not known, as before this version: 0.
ALTER TABLE details ADD COLUMN email_signed BIGINT NOT NULL DEFAULT 0;
