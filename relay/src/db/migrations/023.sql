-- Who was only written to is somebody: their thread stands under the site that wrote. A callback could place it elsewhere.
INSERT INTO visitors (id, site, created)
  SELECT lane, substr(min(key), 1, instr(min(key), '/') - 1), min(created) FROM ledger
  WHERE kind = 'send' AND substr(lane, 1, 2) = 'u_' AND lane NOT IN (SELECT id FROM visitors)
    AND lane NOT IN (SELECT visitor FROM forgotten)
  GROUP BY lane;
UPDATE visitors SET site = (SELECT substr(min(key), 1, instr(min(key), '/') - 1) FROM ledger
    WHERE kind = 'send' AND lane = visitors.id)
  WHERE substr(id, 1, 2) = 'u_' AND EXISTS (SELECT 1 FROM ledger
    WHERE kind = 'send' AND lane = visitors.id AND substr(key, 1, length(visitors.site) + 1) <> visitors.site || '/');
