import type { Event } from '../answers/event'
import type { History, HistoryEntry } from '../answers/history'
import { useAnswer } from '../ask/answer'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Answer } from '../parts/Answer'
import { Badge } from '../parts/Badge'
import { ExactMoment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { Tip } from '../parts/Tip'
import { Commit, Unverified } from '../parts/Place'
import { usePath } from './answers'

const first = 20
const most = 200

// HistoryTab lists the commits of the status branch that changed the application.
export function HistoryTab() {
  const [limit, setLimit] = useState(first)
  const history = useAnswer<History>(`${usePath()}/history`, { limit })
  return (
    <Answer of={history}>
      {(list) => (
        <Panel title="History" note="the latest first">
          <ol className="history">
            {list.map((e) => (
              <Entry key={e.commit} of={e} />
            ))}
          </ol>
          {list.length === 0 && <p className="empty">The branch records no change of it.</p>}
          {list.length === limit && limit < most && (
            <button type="button" className="plain" onClick={() => setLimit(most)}>
              Show up to {most}
            </button>
          )}
        </Panel>
      )}
    </Answer>
  )
}

function Entry({ of: e }: { of: HistoryEntry }) {
  return (
    <li>
      <p className="when">
        <ExactMoment at={e.time} />
        <Tip text={`all pages as of status commit ${e.commit}`}>
          <Link to="." search={(s) => ({ ...s, at: e.commit })}>
            look at that moment
          </Link>
        </Tip>
      </p>
      <div>
        <Unverified why={e.unverified} />
        {e.transitions.map((t, i) => (
          <Transition key={i} of={t} cause={t.commit ? e.causes?.[t.commit] : undefined} />
        ))}
        {(e.steps ?? []).map((s, i) => (
          <p key={i} className="step">
            {whatOf(s)}
            {s.by && <> by {s.by}</>}
            {s.message && <span className="soft"> {s.message}</span>}
          </p>
        ))}
      </div>
    </li>
  )
}

function Transition({ of: t, cause }: { of: Event; cause: string | undefined }) {
  return (
    <div className="transition">
      <p>
        {t.from && t.from !== t.to && (
          <>
            <Badge word={t.from} /> <span aria-label="to">→</span>{' '}
          </>
        )}
        <Badge word={t.to} /> <strong>{t.reason}</strong> {t.message}
      </p>
      {t.commit && (
        <p className="soft">
          commit <Commit hash={t.commit} source /> {cause}
        </p>
      )}
    </div>
  )
}

function whatOf(s: Event): string {
  const about = s.step ? `step ${s.step}` : s.run ? `run ${s.run}` : (s.object ?? s.kind)
  const stage = s.stage ? `, stage ${s.stage}` : ''
  return `${about}${stage}: ${s.from && s.from !== s.to ? `${s.from} → ` : ''}${s.to}${s.reason ? ` (${s.reason})` : ''}`
}
