-- Visitor's message: when it was written, by the relay's clock; 0 or NULL: the client did not say.
ALTER TABLE messages ADD COLUMN typed BIGINT;
