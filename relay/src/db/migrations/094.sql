-- The visitor whose session it is, so that a visitor's rows can be counted. NULL: a row that is older than this column.
ALTER TABLE revoked ADD COLUMN visitor TEXT;
ALTER TABLE session_turns ADD COLUMN visitor TEXT;
CREATE INDEX revoked_visitor ON revoked (visitor) WHERE visitor IS NOT NULL;
CREATE INDEX session_turns_visitor ON session_turns (visitor) WHERE visitor IS NOT NULL;
