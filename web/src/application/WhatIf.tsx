import { useState } from 'react'
import type { Explanation } from '../answers/explanation'
import type { Tenant } from '../answers/tenant'
import { useAnswer } from '../ask/answer'
import { useMeta } from '../ask/meta'
import { Failure } from '../parts/Answer'
import { Command } from '../parts/Command'
import { Panel } from '../parts/Panel'
import { useAt } from '../shell/at'
import { KnobSlider } from './KnobSlider'
import { knobs, type Knob } from './knob'
import { PlanAnswer } from './PlanAnswer'
import { commandOf, type Setting } from './setting'
import { useWhatIf } from './useWhatIf'

// WhatIf lets people move what decides about an application, and shows at once what would come of it, to neighbours too.
export function WhatIf({ of: x, settings, change }: { of: Explanation; settings: Setting[]; change: (s: Setting[]) => void }) {
  const [owner = ''] = x.application.split('/')
  const { data: tenant } = useAnswer<Tenant>(`tenants/${encodeURIComponent(owner)}`)
  const { data: meta } = useMeta()
  const at = useAt()
  const answer = useWhatIf(at ? [] : settings)
  const [filter, setFilter] = useState('')
  if (meta && !meta.whatIf) {
    return (
      <Panel title="What if">
        <p className="empty">This needs a clone of the fleet repo: start <code>reconciler ui</code> in one.</p>
      </Panel>
    )
  }
  if (at) {
    return (
      <Panel title="What if">
        <p className="empty">What-if asks about now. Go back to now to try something.</p>
      </Panel>
    )
  }
  const all = knobs(x, tenant)
  const turned = (k: Knob) => settings.find((s) => s.path === k.path && s.kind === k.kind)
  const shownKnobs = all.filter((k) => `${k.group} ${k.label} ${k.path}`.toLowerCase().includes(filter.toLowerCase()))
  const put = (k: Knob, value: string | undefined) => {
    const others = settings.filter((s) => s.path !== k.path || s.kind !== k.kind)
    change(value === undefined ? others : [...others, { kind: k.kind, path: k.path, value }])
  }
  const groups = [...new Set(shownKnobs.map((k) => k.group))]
  return (
    <Panel title="What if" note="nothing is written; a commit puts it into force">
      <div className="whatif">
        <div className="knobs">
          {all.length > 8 && (
            <label className="grow">
              <span className="unseen">Find a value</span>
              <input type="search" placeholder="Find a value" value={filter} onChange={(e) => setFilter(e.target.value)} />
            </label>
          )}
          {groups.map((g) => (
            <fieldset key={g}>
              <legend>{g}</legend>
              {shownKnobs.filter((k) => k.group === g).map((k) => (
                <KnobSlider key={k.path} knob={k} setting={turned(k)} put={(v) => put(k, v)} />
              ))}
            </fieldset>
          ))}
        </div>
        <div className="answer" aria-live="polite" aria-busy={answer.isFetching}>
          {settings.length === 0 && <p className="empty">Move a slider, or try one of the changes above.</p>}
          {settings.length > 0 && (
            <>
              <Command text={commandOf(settings)} />
              <button type="button" className="plain" onClick={() => change([])}>
                Put all back
              </button>
              {answer.error && !answer.isFetching && <Failure error={answer.error} />}
              {answer.data && !answer.error && <PlanAnswer of={answer.data} app={x.application} stale={answer.isPlaceholderData || answer.isFetching} command={commandOf(settings)} />}
              {answer.isFetching && (answer.failureReason || !answer.data) && <p className="loading">{answer.failureReason?.message ?? 'Deciding …'}</p>}
            </>
          )}
        </div>
      </div>
    </Panel>
  )
}
