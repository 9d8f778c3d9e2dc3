import { useEffect, useSyncExternalStore } from 'react'
import { partsOf, pastePart, placeOf, type Sort } from './actions'
import type { Path, Struct, Value } from '../answers/source'
import type { Editing } from './editing'
import { isStruct, same, valueAt } from './path'

// Copied is a component or a step that was copied: what files and the draft say of it, without defaults and values of secrets. It lives as long as
// the page, and can be pasted into any application.
export interface Copied {
  sort: Sort
  name: string
  value: Struct
}

let held: Copied | undefined
const listeners = new Set<() => void>()

const listen = (heard: () => void) => {
  listeners.add(heard)
  return () => listeners.delete(heard)
}

export const useCopied = () => useSyncExternalStore(listen, () => held)

// copied returns a part as it is written.
export function copied(e: Editing, sort: Sort, name: string): Copied | undefined {
  const part = partsOf(e.doc, sort).find((p) => p.name === name)
  const value = part && writtenAt(e, part.path)
  return isStruct(value) ? { sort, name, value } : undefined
}

function writtenAt(e: Editing, path: Path): Value | undefined {
  const v = valueAt(e.doc, path)
  if (isStruct(v)) {
    if (v.set === true && Object.keys(v).length === 1) return undefined // the value of a secret
    const own = Object.keys(v).flatMap((name) => {
      const below = writtenAt(e, [...path, name])
      return below === undefined ? [] : [[name, below] as const]
    })
    return own.length > 0 || e.origin(path).by !== 'default' ? Object.fromEntries(own) : undefined
  }
  return e.origin(path).by === 'default' ? undefined : v
}

export function copy(e: Editing, sort: Sort, name: string): void {
  held = copied(e, sort, name) ?? held
  listeners.forEach((heard) => heard())
}

// paste adds what was copied, and goes there.
export function paste(e: Editing, c: Copied): void {
  const { step, name } = pastePart(e, c)
  e.change(step)
  e.goTo(c.sort === 'components' ? ['components', name] : ['workflow', 'steps', String(placeOf(e.doc, { after: undefined, before: undefined }))])
}

// useCopyKeys copies what is selected and pastes what was copied by the keys that people know, but where they are about text.
export function useCopyKeys(e: Editing): void {
  useEffect(() => {
    const key = (ev: KeyboardEvent) => {
      const on = ev.target instanceof Element ? ev.target : null
      const about = on?.closest('input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog]') || document.getSelection()?.isCollapsed === false
      if (!(ev.ctrlKey || ev.metaKey) || ev.altKey || ev.shiftKey || about) return
      const sort = e.selected[0] === 'components' ? 'components' : 'steps'
      const part = partsOf(e.doc, sort).find((p) => same(p.path, e.selected.slice(0, p.path.length)))
      if (ev.key === 'c' && part) copy(e, sort, part.name)
      else if (ev.key === 'v' && held) paste(e, held)
      else return
      ev.preventDefault()
    }
    document.addEventListener('keydown', key)
    return () => document.removeEventListener('keydown', key)
  }, [e])
}
