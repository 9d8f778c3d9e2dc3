import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { LiveContainer, LiveObject, LiveState } from '../answers/live'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { Tip } from '../parts/Tip'
import type { Tone } from '../parts/state'
import { Conditions } from './Conditions'
import { plainKind, type Branch } from './branches'

const tones: Record<LiveState, Tone> = { failed: 'bad', missing: 'bad', moving: 'move', leaving: 'off', ready: 'ok', done: 'ok', idle: 'off' }

// first is how many objects of one owner are shown until somebody asks for all.
const first = 50

// Tree shows the objects of a component, each with those that it made below it, as lists in lists.
export function Tree({ title, roots }: { title: string; roots: Branch[] }) {
  return (
    <Panel title={title} note={String(size(roots))}>
      <Branches of={roots} label={`Objects of ${title}`} />
    </Panel>
  )
}

function size(roots: Branch[]): number {
  return roots.reduce((n, r) => n + 1 + size(r.made), 0)
}

function Branches({ of: all, label }: { of: Branch[]; label: string }) {
  const [whole, setWhole] = useState(false)
  const shown = whole ? all : all.slice(0, first)
  return (
    <ul className="live-tree" aria-label={label}>
      {shown.map((b) => (
        <li key={b.object.id}>
          <Node of={b.object} />
          {b.made.length > 0 && <Branches of={b.made} label={`What ${plainKind(b.object.kind)} ${b.object.name} made`} />}
        </li>
      ))}
      {all.length > shown.length && (
        <li>
          <button type="button" className="plain" onClick={() => setWhole(true)}>
            Show {all.length - shown.length} more
          </button>
        </li>
      )}
    </ul>
  )
}

function Node({ of: o }: { of: LiveObject }) {
  return (
    <>
      <p className="live-node">
        <Badge word={o.state} tone={tones[o.state]} />
        <span>
          <Tip text={o.kind}><span className="soft">{plainKind(o.kind)}</span></Tip> <strong>{o.name}</strong>
        </span>
        {o.ready && <span>{o.ready.ready} of {o.ready.wanted} ready</span>}
        {o.why && <span>{o.why}</span>}
        {(o.fields?.length ?? 0) > 0 && <Badge word="differs" tone="warn" title="fields are not as wanted" />}
        {o.made && <span className="soft"><Moment at={o.made} /></span>}
      </p>
      {o.containers?.map((c) => <Container key={c.name} pod={o.name} of={c} />)}
      <Conditions of={o.conditions ?? []} about={`${plainKind(o.kind)} ${o.name}`} />
    </>
  )
}

function Container({ pod, of: c }: { pod: string; of: LiveContainer }) {
  return (
    <p className="live-container">
      <span className="soft">container</span> {c.name} <span className="soft">{c.state}</span> <code>{c.image}</code>{' '}
      {c.restarts > 0 && <span>{c.restarts === 1 ? 'restarted once' : `restarted ${c.restarts} times`}</span>}{' '}
      <Log pod={pod} container={c.name}>Log</Log>
      {c.restarts > 0 && <> <Log pod={pod} container={c.name} previous>Log before the last restart</Log></>}
    </p>
  )
}

function Log({ pod, container, previous, children }: { pod: string; container: string; previous?: boolean; children: string }) {
  return (
    <Link to="." search={(s) => ({ ...s, pod, container, previous: previous ? 'true' : undefined })} aria-label={`${children} of ${container} in ${pod}`} resetScroll>
      {children}
    </Link>
  )
}
