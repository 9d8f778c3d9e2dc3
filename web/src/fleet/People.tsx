import { Link } from '@tanstack/react-router'
import type { PeopleWait } from '../answers/fleet'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'

// People lists the steps of workflows that go on only if somebody acts.
export function People({ waits, total }: { waits: PeopleWait[]; total: number }) {
  if (total === 0) return null
  return (
    <Panel title="Waits for people" note={String(total)}>
      <ul className="rows">
        {waits.map((w) => {
          const [tenant = '', name = ''] = w.application.split('/')
          return (
            <li className="wait" key={`${w.application} ${w.step}`}>
              <Sign tone="wait" />
              <div>
                <Link to="/applications/$tenant/$name/run" params={{ tenant, name }}>
                  {w.application}
                </Link>{' '}
                {w.step ? <>step {w.step}</> : <>run {w.run}</>} waits for {w.what}
                {w.until && <small className="soft">, until <Moment at={w.until} /></small>}
              </div>
            </li>
          )
        })}
      </ul>
      {total > waits.length && <p className="more">and {total - waits.length} more</p>}
    </Panel>
  )
}
