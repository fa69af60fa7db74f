-- For the owner's backend: who the visitor is there, and the page on which they wrote last.
ALTER TABLE visitors ADD COLUMN subject    TEXT; -- `sub` of the signed identity, or the owner's own id of somebody written to
ALTER TABLE visitors ADD COLUMN page       TEXT; -- address with path and query
ALTER TABLE visitors ADD COLUMN page_title TEXT;
