import { useRef, useState } from 'react'
import type { Decision } from '../answers/decision'
import type { Explanation } from '../answers/explanation'
import { Answer } from '../parts/Answer'
import { thousandths } from '../parts/amount'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { ApplicationLink } from '../parts/ApplicationLink'
import { Commit } from '../parts/Place'
import { Shares } from '../tenant/Shares'
import { useExplanation } from './answers'
import { Checks, Legend } from './Checks'
import { Remedies } from './Remedies'
import type { Setting } from './setting'
import { WhatIf } from './WhatIf'

// DecisionTab answers why: one sentence, then every check, who is ahead, and what would change it.
export function DecisionTab() {
  const explanation = useExplanation()
  return <Answer of={explanation}>{(x) => (x.decision ? <Decided key={x.application} explained={x} decision={x.decision} /> : <p className="empty">Nothing was decided about it yet.</p>)}</Answer>
}

function Decided({ explained: x, decision: d }: { explained: Explanation; decision: Decision }) {
  const [settings, setSettings] = useState<Setting[]>([])
  const whatIf = useRef<HTMLDivElement>(null)
  const attempt = (s: Setting[]) => {
    setSettings(s)
    whatIf.current?.scrollIntoView({ block: 'start' })
  }
  const checks = d.constraints ?? []
  const failed = checks.filter((c) => !c.ok)
  return (
    <>
      <Verdict of={d} said={x.instance.message} />
      <Remedies of={d} attempt={attempt} />
      <Panel title="Checks" note={failed.length === 0 ? `all ${checks.length} pass` : `${failed.length} of ${checks.length} fail`} aside={<Legend />}>
        <Checks list={[...failed, ...checks.filter((c) => c.ok)]} />
      </Panel>
      <Ahead of={d} />
      <Displaced of={d} />
      <Shares list={d.shares ?? []} />
      <div ref={whatIf}>
        <WhatIf of={x} settings={settings} change={setSettings} />
      </div>
    </>
  )
}

// Verdict says what was decided. A sentence that the page said already is left out.
function Verdict({ of: d, said }: { of: Decision; said: string | undefined }) {
  const tone = d.verdict === 'granted' ? (d.degraded ? 'warn' : 'ok') : d.verdict === 'waiting' ? 'wait' : 'bad'
  return (
    <section className={`verdict-card ${tone}`} aria-label="Verdict">
      <p className="first">
        <Badge word={d.degraded ? `${d.verdict}, with less` : d.verdict} tone={tone} /> <strong>{d.reason}</strong>
        {d.message !== said && <>: {d.message}</>}
      </p>
      {d.refused && (
        <p>
          <Badge word="the newer spec is refused" tone="bad" /> <strong>{d.refused.reason}</strong>: {d.refused.message}.
        </p>
      )}
      <p className="soft">
        Decided <Moment at={d.inputs.at} /> on commit <Commit hash={d.inputs.commit} source />
        {d.standing && <>; its minimum counts as {d.standing}</>}
        {d.for && <>; reduced or evicted in favour of {d.for}</>}
        {d.evictAt && <>; evicted <Moment at={d.evictAt} /> if the shortage lasts</>}
      </p>
    </section>
  )
}

function Ahead({ of: d }: { of: Decision }) {
  const ahead = d.ahead ?? []
  if (ahead.length === 0) return null
  return (
    <Panel title="Who is ahead" note="they hold what it lacks">
      <table>
        <thead>
          <tr>
            <th scope="col">Application</th>
            <th scope="col">Holds</th>
            <th scope="col">Standing</th>
            <th scope="col" className="number">Share of its tenant</th>
            <th scope="col" className="number">Fair share</th>
          </tr>
        </thead>
        <tbody>
          {ahead.map((c, n) => (
            <tr key={n}>
              <th scope="row">
                <ApplicationLink of={c.application} />
              </th>
              <td>{c.holds}</td>
              <td>{c.standing}</td>
              <td className="number">{thousandths(c.share)}</td>
              <td className="number">{thousandths(c.entitled)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Displaced({ of: d }: { of: Decision }) {
  const list = d.displaced ?? []
  if (list.length === 0) return null
  return (
    <Panel title="Who was reduced for it" note={String(list.length)}>
      <ul className="rows">
        {list.map((x) => (
          <li key={x.application}>
            <div>
              <strong>{x.application}</strong> from {x.from} to {x.to}: {x.why}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
