/**
 * Stores a value as the newest entry of a map, also when the key has an entry already. Above `max` entries, drops the oldest, so
 * that a map with keys from clients cannot grow without limit.
 */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  map.delete(oldest as Key);
}
