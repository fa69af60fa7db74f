-- Whom a site does not want: by id, by address, or by a block of addresses.
CREATE TABLE blocks (
  id     TEXT PRIMARY KEY,
  site   TEXT NOT NULL,
  value  TEXT NOT NULL, -- a visitor's id, an address or a block in CIDR notation
  reason TEXT NOT NULL,
  actor  TEXT NOT NULL,
  at     BIGINT NOT NULL,
  UNIQUE (site, value)
);
