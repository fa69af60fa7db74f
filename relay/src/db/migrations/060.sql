-- How often a session's token was replaced, once somebody came back with the new one. Older tokens are void then.
CREATE TABLE session_turns (
  session TEXT PRIMARY KEY,
  turn    BIGINT NOT NULL,  -- of the token that is in use
  since   BIGINT NOT NULL,  -- ms: when it was used first
  expires BIGINT NOT NULL   -- ms: every token of the session has ended by then
);
CREATE INDEX session_turns_expires ON session_turns (expires);
