-- For a message's journey.
ALTER TABLE messages ADD COLUMN accepted BIGINT; -- visitor's message: HTTP status with which the service accepted it
