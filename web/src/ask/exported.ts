import type { Application, Applications } from '../answers/application'
import type { Problems } from '../answers/problems'
import { Refusal } from './refusal'

// In an export, answers lie beside the page as files of one moment, and the page selects, orders and cuts by itself.
export const exported = document.querySelector<HTMLMetaElement>('meta[name="daros-export"]')?.content

// List is all applications of an export, the unwell ones first.
export interface List {
  applications: Application[]
  unwell: number
}

const read = new Map<string, Promise<unknown>>()

// readExported answers from the files below a folder, which it reads once.
export async function readExported(folder: string, path: string, query: URLSearchParams): Promise<unknown> {
  const answer = await file(`${folder}/${path}.json`)
  if (path === 'applications') return select(answer as List, query)
  if (path === 'problems') return cut(answer as Problems, query)
  if (path.endsWith('/history')) return (answer as unknown[]).slice(0, Number(query.get('limit') ?? 20))
  return answer
}

function file(name: string): Promise<unknown> {
  let answer = read.get(name)
  if (!answer) {
    answer = fetch(new URL(name, document.baseURI)).then((r) => {
      if (!r.ok) throw new Refusal(r.status, `this export does not have it (${name})`)
      return r.json() as Promise<unknown>
    })
    read.set(name, answer)
  }
  return answer
}

// select answers as the server does: see ApplicationsPageOf.
export function select(list: List, query: URLSearchParams): Applications {
  const [tenant, phases, q] = [query.get('tenant'), query.getAll('phase'), (query.get('q') ?? '').toLowerCase()]
  const rows = list.applications.filter((a, i) => {
    if (tenant && !a.application.startsWith(`${tenant}/`)) return false
    if (phases.length > 0 && !phases.includes(a.phase) && !(phases.includes('unwell') && i < list.unwell)) return false
    return q === '' || [a.application, a.message ?? '', ...a.components.flatMap((c) => c.images ?? [])].some((s) => s.toLowerCase().includes(q))
  })
  const byName = (a: Application, b: Application) => compare(a.application.split('/'), b.application.split('/'))
  if (query.get('sort') === 'name') rows.sort(byName)
  if (query.get('sort') === 'since') rows.sort((a, b) => Date.parse(b.since) - Date.parse(a.since) || byName(a, b))
  const [first, limit] = [Number(query.get('after') || 0), Number(query.get('limit') ?? 50)]
  const next = first + limit < rows.length ? String(first + limit) : ''
  return { applications: rows.slice(first, first + limit), total: rows.length, next }
}

function compare(a: string[], b: string[]): number {
  for (const [i, part] of a.entries()) {
    const other = b[i] ?? ''
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}

function cut(all: Problems, query: URLSearchParams): Problems {
  const [first, limit] = [Number(query.get('after') || 0), Number(query.get('limit') ?? 50)]
  return { problems: all.problems.slice(first, first + limit), total: all.total, next: first + limit < all.total ? String(first + limit) : '' }
}
