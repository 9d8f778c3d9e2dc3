import type { Left } from '../answers/plan'

const words = [
  ['applications', 'application', 'applications'],
  ['objects', 'object', 'objects'],
  ['runs', 'workflow run', 'workflow runs'],
  ['tenants', 'price of a tenant', 'prices of tenants'],
  ['touched', 'tenant that is touched', 'tenants that are touched'],
  ['problems', 'problem', 'problems'],
] as const

// counted lists what is left out, as a part of a sentence.
export function counted(left: Left): string {
  const said = words.flatMap(([sort, one, many]) => {
    const n = left[sort] ?? 0
    return n === 0 ? [] : [`${n.toLocaleString('en')} ${n === 1 ? one : many}`]
  })
  return said.length < 2 ? said.join('') : `${said.slice(0, -1).join(', ')} and ${said.at(-1)}`
}
