const units: [name: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

// length writes a number of seconds as people say it: "8 s", "3 min", "2 h 5 min", "24 d".
export function length(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const at = units.findIndex(([, size]) => whole >= size)
  const [name, size] = units[at] ?? ['s', 1]
  const count = Math.floor(whole / size)
  const next = units[at + 1]
  const rest = next && next[0] !== 's' && count < 4 ? Math.floor((whole - count * size) / next[1]) : 0
  return `${count} ${name}` + (rest > 0 && next ? ` ${rest} ${next[0]}` : '')
}

// age says how long before, or after, another moment one is.
export function age(at: number, now: number): string {
  const seconds = (now - at) / 1000
  if (Math.abs(seconds) < 2) return 'just now'
  return seconds > 0 ? `${length(seconds)} ago` : `in ${length(-seconds)}`
}

// isTime reports whether a text is a moment. The zero time of the server is none.
export function isTime(text: string | undefined): text is string {
  return text !== undefined && text !== '' && !text.startsWith('0001-') && !Number.isNaN(Date.parse(text))
}

// exact writes a moment in full, in UTC as all else that the branch says.
export function exact(text: string): string {
  return new Date(text).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
}
