import type { Run, Step, StepRun } from '../answers/run'
import type { Wait } from '../answers/words'
import { length } from '../parts/age'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'

// Steps lists the steps of a run: how each is, its attempts and deadlines, under which condition it runs, and what undoes it.
export function Steps({ run, waits, steps }: { run: Run; waits: Wait[]; steps: Step[] }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Steps">
      <table>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">State</th>
            <th scope="col">Attempt</th>
            <th scope="col">Deadline</th>
            <th scope="col">When it runs</th>
            <th scope="col">What is to know</th>
          </tr>
        </thead>
        <tbody>
          {run.steps.map((s) => {
            const declared = steps.find((d) => d.name === s.name)
            return (
              <tr key={s.name}>
                <th scope="row">
                  {s.name}
                  {declared && <small className="soft"> {declared.type}{targetOf(declared)}</small>}
                </th>
                <td>
                  <Badge word={s.phase} /> {s.since && <small className="soft"><Moment at={s.since} /></small>}
                </td>
                <td>{attempts(s, declared)}</td>
                <td>{deadline(s)}</td>
                <td>{condition(declared)}</td>
                <td>
                  <Known of={s} wait={waits.find((w) => w.step === s.name)} declared={declared} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function targetOf(s: Step): string {
  if (s.component) return ` of ${s.component}`
  return s.components && s.components.length > 0 ? ` of ${s.components.join(', ')}` : ''
}

function attempts(s: StepRun, declared: Step | undefined): string {
  if (!s.attempt) return '–'
  const most = declared?.retry?.attempts ?? 1
  return most > 1 ? `${s.attempt} of ${most}` : String(s.attempt)
}

function deadline(s: StepRun) {
  if (s.phase === 'retrying' && s.next) return <>next attempt <Moment at={s.next} /></>
  if (s.phase === 'active' && s.deadline) return <Moment at={s.deadline} />
  return '–'
}

// condition says in words when a step runs.
function condition(s: Step | undefined): string {
  if (!s) return 'not known any more'
  const said = [s.dependsOn && s.dependsOn.length > 0 ? `after ${s.dependsOn.join(', ')}` : 'at the beginning']
  if (s.if) said.push(`if ${s.if}`)
  if (s.lock) said.push(`alone with the lock ${s.lock}`)
  if (s.timeout) said.push(`for ${length(s.timeout / 1e9)} at most`)
  return said.join(', ')
}

function Known({ of: s, wait, declared }: { of: StepRun; wait: Wait | undefined; declared: Step | undefined }) {
  const said: string[] = []
  if (wait) said.push(`waits for ${wait.for}`)
  if (s.message) said.push(s.message)
  if (s.actors && s.actors.length > 0) said.push(`by ${s.actors.join(', ')}`)
  for (const o of s.outputs ?? []) said.push(`left ${o.name} = ${o.value}`)
  if (s.undo && s.undo.phase !== 'pending') said.push(`taking back: ${s.undo.phase}${s.undo.message ? `, ${s.undo.message}` : ''}`)
  if (declared?.undo) said.push(`a rollback runs ${declared.undo}`)
  if (declared && declared.onFailure !== 'stop') said.push(declared.onFailure === 'rollback' ? 'a failure rolls the run back' : 'a failure does not end the run')
  return <>{said.join('; ')}</>
}
