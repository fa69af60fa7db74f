-- Only visitors' messages are looked up by their id, so a reply is no longer in this index. A reply with a reaction is looked
-- up when the visitor removes it.
DROP INDEX messages_id;
CREATE UNIQUE INDEX messages_id ON messages (visitor, id) WHERE author = 'visitor';
CREATE INDEX messages_reacted ON messages (visitor, id) WHERE reaction IS NOT NULL;
