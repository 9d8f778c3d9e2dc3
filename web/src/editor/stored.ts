import type { Draft } from './draft'

const prefix = 'daros-draft/'
const keyOf = (application: string, base: string) => `${prefix}${application}/${base}`

// store keeps a draft in this browser, nowhere else, without the values of secrets: these live as long as the page. One that changes nothing is forgotten.
export function store(d: Draft): void {
  try {
    if (d.done.length === 0 && d.undone.length === 0 && !d.created) localStorage.removeItem(keyOf(d.application, d.base))
    else localStorage.setItem(keyOf(d.application, d.base), JSON.stringify({ ...d, done: d.done.filter((s) => !s.secret), undone: d.undone.filter((s) => !s.secret) }))
  } catch {
    // No room or not allowed: the draft lives as long as the page.
  }
}

export function forget(d: Draft): void {
  try {
    localStorage.removeItem(keyOf(d.application, d.base))
  } catch {
    // Then nothing was kept.
  }
}

// storedFor returns the drafts of an application, that of the given base first.
export function storedFor(application: string, base: string | undefined): Draft[] {
  const found: Draft[] = []
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(`${prefix}${application}/`)) continue
      const d = parsed(localStorage.getItem(key))
      if (d && d.application === application) found.push(d)
    }
  } catch {
    return []
  }
  return found.sort((a, b) => Number(b.base === base) - Number(a.base === base))
}

function parsed(text: string | null): Draft | undefined {
  try {
    const d = JSON.parse(text ?? '') as Partial<Draft> | null
    const whole = d && typeof d.application === 'string' && typeof d.dir === 'string' && typeof d.base === 'string'
    const steps = whole && [d.done, d.undone].every((l) => Array.isArray(l) && l.every((s) => typeof s?.what === 'string' && Array.isArray(s.edits) && s.edits.every((e) => Array.isArray(e?.path) && typeof e.op === 'string')))
    return steps ? (d as Draft) : undefined
  } catch {
    return undefined
  }
}
