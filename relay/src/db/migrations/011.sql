-- Who may use the server API. Of a token only its hash is kept.
CREATE TABLE tokens (
  id      TEXT PRIMARY KEY,
  site    TEXT NOT NULL,
  name    TEXT NOT NULL,
  scopes  TEXT NOT NULL,       -- separated by blanks
  hash    TEXT NOT NULL,       -- SHA-256, base64url
  created BIGINT NOT NULL,
  revoked BIGINT               -- ms; absent: valid
);

-- Answers to requests with an Idempotency-Key, so that a repeat is answered and not done again.
CREATE TABLE requests (
  token  TEXT NOT NULL,
  key    TEXT NOT NULL,
  digest TEXT NOT NULL,        -- of method, path and body
  at     BIGINT NOT NULL,
  status BIGINT,               -- absent while it is being done
  body   TEXT,
  PRIMARY KEY (token, key)
);
CREATE INDEX requests_at ON requests (at);
