// Setting is one value that a what-if changes: by the name that Git has for it, or the capacity of a pool.
export interface Setting {
  kind: 'set' | 'capacity'
  path: string // tenant.acme.quota.cpu, or general.cpu for a capacity
  value: string // with + or - before it, it is added or subtracted
}

// Question is what POST /api/v1/what-if takes.
export interface Question {
  set: string[]
  capacity: string[]
}

export function questionOf(settings: Setting[]): Question {
  const written = (kind: Setting['kind']) => settings.filter((s) => s.kind === kind).map((s) => `${s.path}=${s.value}`)
  return { set: written('set'), capacity: written('capacity') }
}

// commandOf is the command line that asks the same.
export function commandOf(settings: Setting[]): string {
  return ['reconciler what-if', ...settings.map((s) => `--${s.kind} ${quoted(`${s.path}=${s.value}`)}`)].join(' ')
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`
}
