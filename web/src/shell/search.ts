// Search is what stands behind the ? of an address.
export type Search = Record<string, string | string[]>

// parseSearch reads an address as people would write it: phase=Running&phase=Degraded. A name that comes twice is a list.
export function parseSearch(text: string): Search {
  const found: Search = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const had = found[name]
    found[name] = had === undefined ? value : [...(Array.isArray(had) ? had : [had]), value]
  }
  return found
}

export function writeSearch(search: Record<string, unknown>): string {
  const p = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string' && one !== '') p.append(name, one)
    }
  }
  return p.size > 0 ? `?${p}` : ''
}

// text and list take one value out of a search, whatever was written there.
export function text(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'string' && one !== '' ? one : undefined
}

export function list(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((v): v is string => typeof v === 'string' && v !== '')
}
