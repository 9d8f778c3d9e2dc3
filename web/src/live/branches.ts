import type { LiveObject } from '../answers/live'

// Branch is an object with those that it made.
export interface Branch {
  object: LiveObject
  made: Branch[]
}

// treeOf makes trees of objects. The server lists each after its owner.
export function treeOf(objects: LiveObject[]): Branch[] {
  const known = new Map<string, Branch>()
  const roots: Branch[] = []
  for (const object of objects) {
    const branch = { object, made: [] }
    known.set(object.id, branch)
    const owner = object.owner === undefined ? undefined : known.get(object.owner)
    if (owner) owner.made.push(branch)
    else roots.push(branch)
  }
  return roots
}

// byComponent puts trees together that belong to one component, in the order of the server; "" is what all share.
export function byComponent(roots: Branch[]): [component: string, roots: Branch[]][] {
  const found = new Map<string, Branch[]>()
  for (const r of roots) {
    const name = r.object.component ?? ''
    found.set(name, [...(found.get(name) ?? []), r])
  }
  return [...found]
}

// plainKind is a kind without its group.
export function plainKind(kind: string): string {
  return kind.split('.')[0] ?? kind
}
