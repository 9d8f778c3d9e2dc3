import type { Setting } from './setting'

// The sentences in which a decision says what would admit an application, and the settings that say the same.
const forms: [RegExp, (found: string[], app: string) => Setting[]][] = [
  [/^set priority to (\d+)$/, ([n = ''], app) => [set(`application.${app}.priority`, n)]],
  [/^raise budget\.costPerHour to ([\d.]+)$/, ([n = ''], app) => [set(`application.${app}.budget.costPerHour`, n)]],
  [/^run (\S+) with (\d+) replicas instead of \d+$/, ([c = '', n = ''], app) => [set(`application.${app}.components.${c}.replicas`, n)]],
  [
    /^request (\S+) (\S+) for each replica of (\S+) instead of \S+$/,
    ([n = '', resource = '', c = ''], app) => [set(`application.${app}.components.${c}.resources.requests.${resource}`, n)],
  ],
  [/^raise quota\.(\S+) of tenant (\S+) to (\S+)$/, ([resource = '', tenant = '', n = '']) => [set(`tenant.${tenant}.quota.${resource}`, n)]],
  [/^give pool (\S+) (.+) more$/, ([pool = '', amounts = '']) => amounts.split(' and ').map((a) => more(pool, a))],
]

// remedyOf returns what a what-if has to set to try a piece of advice, nothing if it cannot be tried: the distinct domains of a
// component cannot be set, and costs that the sentence adds are not part of it.
export function remedyOf(advice: string, app: string): Setting[] {
  const sentence = advice.split(/[,;(]/)[0]?.trim() ?? ''
  for (const [form, settings] of forms) {
    const m = form.exec(sentence)
    if (m) return settings(m.slice(1), app)
  }
  return []
}

function set(path: string, value: string): Setting {
  return { kind: 'set', path, value }
}

function more(pool: string, amount: string): Setting {
  const [n = '', resource = ''] = amount.trim().split(' ')
  return { kind: 'capacity', path: `${pool}.${resource}`, value: `+${n}` }
}
