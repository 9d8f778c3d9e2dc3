import type { Advice, Decision } from '../answers/decision'
import type { Pools } from '../answers/pools'
import { useAnswer } from '../ask/answer'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { useAt } from '../shell/at'
import { Change, ChangeLayer } from '../editor/Change'
import { editedBy } from './edited'
import type { Setting } from './setting'

// Remedies lists the changes each of which is enough alone, those first that cost others least. What is being checked again is
// no instruction, so it cannot be tried.
export function Remedies({ of: d, attempt }: { of: Decision; attempt: (s: Setting[]) => void }) {
  const at = useAt()
  const advice = d.advice ?? []
  const larger = advice.some((a) => a.change === 'capacity')
  const { data } = useAnswer<Pools>('pools', {}, larger)
  const declared = (data?.pools ?? []).flatMap((p) => (p.declared ? [p.pool] : []))
  const changed = d.advised?.changed ?? []
  if (!d.advised) return <Former list={d.wouldAdmit ?? []} />
  if (changed.length > 0) {
    return (
      <Panel title="What would admit it" note="being checked again">
        <p className="soft">
          What was found <Moment at={d.advised.at} /> is being checked again: {changed.join(', ')} changed.
        </p>
      </Panel>
    )
  }
  if (advice.length === 0) return null
  return (
    <Panel title="What would admit it" note="each alone is enough">
      <ol className="remedies">
        {advice.map((a) => (
          <li key={a.text}>
            <span>
              {a.text}
              {priceOf(a)}
              {data && a.settings?.some((s) => s.kind === 'capacity' && !declared.includes(s.path.split('.', 1)[0] ?? '')) && <small className="soft"> It has what its nodes offer.</small>}
            </span>
            {a.settings && !at && (
              <button type="button" onClick={() => attempt(a.settings ?? [])} aria-label={`Try it: ${a.text}`}>
                Try it
              </button>
            )}
            <EditIt of={a} application={d.application} declared={declared} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

// EditIt leads to the field that a change is about, in the files of whoever has to make it.
function EditIt({ of: a, application, declared }: { of: Advice; application: string; declared: string[] }) {
  const label = `Edit it: ${a.text}`
  const [edited] = (a.settings ?? []).flatMap((s) => editedBy(s, application, a.by, declared) ?? [])
  if (!edited) return null
  if (edited.layer === 'application') return <Change application={application} field={edited.field} label={label}>Edit it</Change>
  return <ChangeLayer tenant={edited.layer === 'tenant' ? edited.tenant : undefined} field={edited.field} label={label}>Edit it</ChangeLayer>
}

// Former lists what an older program found out when it decided.
function Former({ list }: { list: string[] }) {
  if (list.length === 0) return null
  return (
    <Panel title="What would have admitted it" note="when it was decided">
      <ol className="remedies">
        {list.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
    </Panel>
  )
}

// priceOf says who gives way for a change, and who has to make it if that is not the owner.
export function priceOf(a: Advice): string {
  const victims = a.victims ?? []
  const price = victims.slice(0, 3).map((v) => {
    const lost = [v.replicas > 0 && `${v.replicas} ${v.replicas === 1 ? 'replica' : 'replicas'}`, v.amount].filter(Boolean).join(', ')
    return `${v.evicted ? 'evicts' : 'degrades'} ${v.application}${lost && `: ${lost}`}`
  })
  if (victims.length > 3) price.push(`and moves ${victims.length - 3} more`)
  if (a.by !== 'owner') price.push(`needs the ${a.by}'s admin`)
  return price.length > 0 ? ` (${price.join('; ')})` : ''
}
