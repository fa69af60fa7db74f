-- So that every read uses an index, or reads one row.
CREATE INDEX events_waiting ON events (site, due, at) WHERE state = 'waiting';
DROP INDEX events_due;

-- Bytes of all files of a site, as its quota counts them: a file as at least 64 KiB.
CREATE TABLE site_files (
  site  TEXT PRIMARY KEY,
  bytes BIGINT NOT NULL
);
INSERT INTO site_files SELECT site, sum(CASE WHEN size < 65536 THEN 65536 ELSE size END) FROM media GROUP BY site;
DROP INDEX media_site;
-- For the deletion of files that a site keeps for a number of days.
CREATE INDEX media_site_created ON media (site, created) WHERE visitor IS NOT NULL;
