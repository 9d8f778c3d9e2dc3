// Links are templates of where to look further, as `platform.links` has them.
export interface Links {
  file?: string
  commit?: string
  application?: string
}

// fileURL is where a place, "path:line:column", of a commit is, undefined if that is not known.
export function fileURL(links: Links | undefined, commit: string | undefined, at: string): string | undefined {
  const [path = '', line = '1'] = at.split(':')
  if (!isHash(commit) || path === '' || !/^\d+$/.test(line)) return undefined
  return fill(links?.file, { commit, path, line })
}

// commitURL is where a commit of the fleet repo is.
export function commitURL(links: Links | undefined, commit: string): string | undefined {
  return isHash(commit) ? fill(links?.commit, { commit }) : undefined
}

const isHash = (s: string | undefined): s is string => s !== undefined && /^[0-9a-f]{40}$/.test(s)

// fill puts values in the places of a template, encoded. What is no https address then leads nowhere.
function fill(template: string | undefined, values: Record<string, string>): string | undefined {
  if (!template || !/^https:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/|$)/.test(template)) return undefined
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => (values[name] === undefined ? whole : encode(values[name])))
}

function encode(value: string): string {
  return [...new TextEncoder().encode(value)].map((c) => {
    const s = String.fromCharCode(c)
    return /[-A-Za-z0-9._/]/.test(s) ? s : `%${c.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}
