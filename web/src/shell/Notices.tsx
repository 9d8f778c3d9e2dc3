import { useMeta } from '../ask/meta'
import { exported } from '../ask/exported'
import { Refusal } from '../ask/request'
import { exact } from '../parts/age'
import { Sign } from '../parts/Sign'
import { SignedOut } from '../parts/SignedOut'

// Notices says what keeps all pages from being as they should: the server away, Git away, a branch that nobody vouches for.
export function Notices() {
  const { data, error } = useMeta()
  const said: string[] = []
  if (exported !== undefined && data) {
    said.push(`These pages were written on ${exact(data.looked)}, and show the fleet as of status commit ${data.commit.slice(0, 10)}. They do not change.`)
  }
  const signedOut = error instanceof Refusal && error.status === 401
  if (error && !signedOut) {
    said.push(`${error.message} The pages show the last answers.`)
  }
  if (data?.error) said.push(`The status branch cannot be read just now: ${data.error}. The pages show what it said last.`)
  if (data && data.commit === '' && !data.error) {
    said.push(`The reconciler has not written the branch ${data.branch} of ${data.repo} yet. These pages keep looking.`)
  }
  if (data?.reconciler?.error) said.push(`The reconciler cannot be asked just now: ${data.reconciler.error}.`)
  else if (data?.reconciler && !data.reconciler.ready) said.push(`The reconciler is not ready: ${data.reconciler.says}`)
  if (data?.unverified) said.push(`No trusted key vouches for the status branch: ${data.unverified}`)
  return (
    <div role="status" className="notices">
      {signedOut && (
        <p className="notice warn">
          <Sign tone="warn" />
          <SignedOut at={error.signIn} />
        </p>
      )}
      {said.map((s) => (
        <p key={s} className="notice warn">
          <Sign tone="warn" />
          {s}
        </p>
      ))}
    </div>
  )
}
