import type { Plan } from '../answers/plan'
import type { Conflict, Preview } from '../answers/source'
import { PlanAnswer } from '../application/PlanAnswer'
import { Refusal } from '../ask/request'
import { Failure } from '../parts/Answer'
import { Badge } from '../parts/Badge'
import { Command } from '../parts/Command'
import { Diff } from '../parts/Diff'
import { Panel } from '../parts/Panel'
import { Place } from '../parts/Place'
import { Sign } from '../parts/Sign'
import { TouchedTenants } from '../proposal/TouchedTenants'
import { Checklist } from './Checklist'
import type { Check } from './checklist'
import { nameOf, type Draft } from './draft'
import { useEditing } from './editing'
import { layerOf } from './layer'
import { fieldOf, written } from './path'

interface Props {
  draft: Draft
  checks: Check[]
  empty: boolean
  preview: Preview | undefined
  error: Error | undefined
  stale: boolean
  theirs: (c: Conflict) => void
  undo: () => void
}

// Effect shows what a draft would do before it is saved: what is wrong with it, which lines change, and what becomes of whom.
export function Effect({ draft, checks, empty, preview: p, error, stale, theirs, undo }: Props) {
  return (
    <div className="effect" aria-busy={stale}>
      <Checklist of={checks} />
      <Panel title="What it would do" note={<span role="status">{stale ? 'deciding …' : ''}</span>}>
        {empty && <p className="empty">Nothing yet. What you change is checked here, against everybody's applications, before it is saved.</p>}
        {error && (
          <>
            <Failure error={error} />
            {error instanceof Refusal && error.saves && <Command text={`reconciler plan --head ui/${nameOf(draft)}`} />}
            <p><button type="button" onClick={undo}>Undo the last change</button></p>
          </>
        )}
        {!empty && !error && !p && stale && <p>Deciding what it would do …</p>}
        {!empty && p && !error && (
          <div className={stale ? 'said-of-draft stale' : 'said-of-draft'}>
            <Verdict of={p} stale={stale} />
            <Conflicts list={p.conflicts} theirs={theirs} />
            <Problems of={p} />
            <Files of={p} />
            {p.diff && <Diff text={p.diff} />}
            {p.plan && <Ends of={p.plan} />}
            {p.plan && <PlanAnswer of={{ ...p.plan, problems: [] }} app={layerOf(draft.dir) === 'application' ? draft.application : ''} stale={false} command={planOfDraft} />}
          </div>
        )}
      </Panel>
      {!empty && !error && p?.plan && <TouchedTenants of={p.plan} />}
    </div>
  )
}

// planOfDraft plans the same once the draft is saved.
const planOfDraft = 'reconciler plan --head ui/NAME'

function Verdict({ of: p, stale }: { of: Preview; stale: boolean }) {
  const why = p.conflicts.length > 0 ? 'others changed the same' : p.problems.length > 0 ? (p.problems.length === 1 ? '1 problem' : `${p.problems.length} problems`) : 'nothing would change'
  return (
    <p className="verdict-of-draft">
      {p.saves ? <Badge word={stale ? 'could be saved' : 'can be saved'} tone="ok" /> : <Badge word="cannot be saved" tone="bad" />}
      {!p.saves && <span> {why}</span>}
    </p>
  )
}

function Problems({ of: p }: { of: Preview }) {
  const { draft, goTo } = useEditing()
  if (p.problems.length === 0) return null
  return (
    <ol className="problems" aria-label="Problems">
      {p.problems.map((one, i) => {
        const at = fieldOf(one, draft.dir)
        return (
          <li key={i}>
            <p>
              <Sign tone="bad" /> <strong className="code">{one.code}</strong> {one.message}{' '}
              {at && <button type="button" className="plain" onClick={() => goTo(at)}>go to {written(at)}</button>}
            </p>
            {one.places && (
              <dl className="places">
                {one.places.map((place) => (
                  <div key={place.at + (place.note ?? '')}>
                    <dt><Place at={place.at} /></dt>
                    <dd>{place.note}</dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        )
      })}
    </ol>
  )
}

function Files({ of: p }: { of: Preview }) {
  if (p.files.length === 0) return null
  return (
    <ul className="files" aria-label="Files">
      {p.files.map((f) => (
        <li key={f.path}>
          <code>{f.path}</code> <span className="soft">{f.created ? 'is new' : f.deleted ? 'goes away' : 'changes'}</span>
        </li>
      ))}
    </ul>
  )
}

// Ends says what a change takes away, what stays of it, and what its removal asks for.
function Ends({ of: plan }: { of: Plan }) {
  const held = plan.problems.find((p) => p.code === 'DA1901')
  const ends = plan.objects.filter((o) => o.action === 'remove')
  const stays = plan.objects.filter((o) => o.action === 'keep')
  const removed = plan.applications.filter((a) => a.effect === 'removed' || a.effect === 'evicted')
  if (ends.length + stays.length + removed.length === 0 && !held) return null
  return (
    <section className="ends" aria-label="What ends">
      <h3>What ends</h3>
      <ul>
        {removed.map((a) => <li key={a.application}><Sign tone="bad" /> application {a.application}</li>)}
        {ends.slice(0, most).map((o) => <li key={`${o.kind}/${o.namespace}/${o.name}`}><Sign tone="warn" /> {o.kind} {o.name}</li>)}
        {ends.length > most && <li>and {ends.length - most} more objects</li>}
      </ul>
      {stays.length > 0 && (
        <>
          <h3>What stays</h3>
          <ul>
            {stays.map((o) => <li key={`${o.kind}/${o.namespace}/${o.name}`}><Sign tone="ok" /> {o.kind} {o.name}, with its data, until somebody deletes it</li>)}
          </ul>
        </>
      )}
      <p>{held ? <><strong className="code">{held.code}</strong> {held.message}.</> : 'The merge is all the confirmation that this needs.'}</p>
    </section>
  )
}

// most is how many objects that end are named.
const most = 20

// Conflicts shows the values that others changed since the draft began, and what it wants instead.
function Conflicts({ list, theirs }: { list: Conflict[]; theirs: (c: Conflict) => void }) {
  const values = list.filter((c) => !c.whole)
  if (values.length === 0) return null
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Conflicts">
      <table className="conflicts">
        <caption>Others changed the same since the draft began. Take theirs, or put your changes on the newest files above.</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Was</th>
            <th scope="col">Yours</th>
            <th scope="col">Theirs</th>
          </tr>
        </thead>
        <tbody>
          {values.map((c) => (
            <tr key={written(c.path)}>
              <th scope="row">
                {written(c.path)}
                <p><button type="button" onClick={() => theirs(c)} aria-label={`Take theirs for ${written(c.path)}`}>Take theirs</button></p>
              </th>
              {[c.base, c.mine, c.theirs].map((text, i) => (
                <td key={i}>{text === '' ? <span className="soft">not there</span> : <code>{text}</code>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
