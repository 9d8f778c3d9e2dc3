import { ContextMenu } from 'radix-ui'
import { useState, type MouseEvent, type ReactElement } from 'react'
import '../style/floating.css'
import { disconnect, isListed, partsOf, removePart, renamePart, type Sort } from './actions'
import type { Wanted } from './AddPart'
import { copy, paste, useCopied } from './clipboard'
import { useEditing } from './editing'
import { Naming } from './Naming'

// On is what a menu is about: a component or step, an arrow between two, or neither.
interface On {
  name?: string
  edge?: [after: string, name: string]
}

// PartMenu has what can be done with a component or step where it is shown: by a right click, by a finger that rests, or by the menu key. Elements say by
// data-part which one they are; an arrow says so by its id.
export function PartMenu({ sort, add, children }: { sort: Sort; add: (w: Wanted) => void; children: ReactElement }) {
  const e = useEditing()
  const [on, setOn] = useState<On>({})
  const [naming, setNaming] = useState<string>()
  const copied = useCopied()
  const parts = partsOf(e.doc, sort)
  const part = parts.find((p) => p.name === on.name)
  const what = sort === 'components' ? 'component' : 'step'
  const item = (text: string, act: () => void, disabled = false, key?: string) => (
    <ContextMenu.Item className="menu-item" onSelect={act} disabled={disabled}>
      {text}
      {key && <kbd>{key}</kbd>}
    </ContextMenu.Item>
  )
  const edge = on.edge
  return (
    <>
      <ContextMenu.Root modal={false}>
        <ContextMenu.Trigger asChild onContextMenu={(ev: MouseEvent) => setOn(aboutOf(ev.target, parts.map((p) => p.name)))}>{children}</ContextMenu.Trigger>
        <ContextMenu.Portal>
          <ContextMenu.Content className="menu" collisionPadding={8} aria-label={part?.name ?? edge?.join(', then ') ?? `Add a ${what}`}>
            {part && item(`Copy ${part.name}`, () => copy(e, sort, part.name), false, 'Ctrl+C')}
            {copied?.sort === sort && item(`Paste ${copied.name}`, () => paste(e, copied), false, 'Ctrl+V')}
            {part && item('Add one before it', () => add({ sort, before: part.name }))}
            {part && item('Add one after it', () => add({ sort, after: part.name }))}
            {edge && item('Insert between', () => add({ sort, after: edge[0], before: edge[1] }))}
            {edge && !(sort === 'steps' && isListed(e.doc)) && item('Disconnect', () => e.change(disconnect(e, sort, edge[1], edge[0])))}
            {!part && !edge && item(`Add a ${what}`, () => add({ sort }))}
            {part && <ContextMenu.Separator className="menu-line" />}
            {part && item(`Rename ${part.name} …`, () => setNaming(part.name))}
            {part && item(`Remove ${part.name}`, () => { e.change(removePart(e, sort, part.name)); e.goTo([]) }, parts.length === 1 && sort === 'components')}
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
      {naming !== undefined && (
        <Naming name={naming} taken={parts.map((p) => p.name)} close={() => setNaming(undefined)} done={(to) => { e.change(renamePart(e, sort, naming, to)); if (sort === 'components') e.goTo(['components', to]) }} />
      )}
    </>
  )
}

// aboutOf returns what an element of a picture or of an outline shows.
function aboutOf(target: EventTarget, names: string[]): On {
  if (!(target instanceof Element)) return {}
  const name = target.closest<HTMLElement>('[data-part]')?.dataset.part
  if (name !== undefined) return { name }
  const [after, before] = target.closest('.react-flow__edge')?.getAttribute('data-id')?.split(' ') ?? []
  return after !== undefined && before !== undefined && names.includes(after) && names.includes(before) ? { edge: [after, before] } : {}
}
