-- Deletions of visitors that have begun. A row is stored before the first part of the visitor's data is deleted, and is deleted with the last part.
CREATE TABLE deletions (
  visitor      TEXT PRIMARY KEY,
  begun        BIGINT NOT NULL,
  -- Only if the newest message is older than this time; NULL: in any case.
  stale_before BIGINT,
  -- How many parts were deleted so far.
  parts        BIGINT NOT NULL DEFAULT 0
);
