import type { Run, Step } from '../answers/run'
import type { Wait } from '../answers/words'
import { Command } from '../parts/Command'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'

// PeopleNeeded says where a person has to act, who may, and what to type. Nothing is approved by a click: an approval is its
// author's commit.
export function PeopleNeeded({ run, waits, steps }: { run: Run; waits: Wait[]; steps: Step[] }) {
  const needed = waits.filter((w) => w.people && w.action)
  if (needed.length === 0) return null
  return (
    <Panel title="A person is needed" note="in a clone of the fleet repo">
      {needed.map((w) => (
        <div key={w.step ?? ''} className="needed">
          <p>
            {w.step ? <>Step <strong>{w.step}</strong></> : <>The run</>} waits for {w.for}
            {w.until && <>, until <Moment at={w.until} /></>}.
          </p>
          <Command text={commandFor(run, w)} />
          <p>{whoMay(steps.find((s) => s.name === w.step))} The command commits one file; this puts it into force:</p>
          <Command text="git push" />
        </div>
      ))}
    </Panel>
  )
}

function commandFor(run: Run, w: Wait): string {
  return ['reconciler', w.action, run.application, w.step, '--run', run.run.slice(0, 12)].filter((x) => x).join(' ')
}

function whoMay(step: Step | undefined): string {
  const roles = step?.properties?.roles
  if (!Array.isArray(roles) || roles.length === 0) return 'Whoever may change the approvals of the application may do it.'
  return `It counts only if somebody with the role ${roles.join(' or ')} signed the commit.`
}
