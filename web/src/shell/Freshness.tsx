import { useMeta } from '../ask/meta'
import { signOut } from '../ask/session'
import { Moment } from '../parts/Moment'
import { Commit } from '../parts/Place'
import { Tip } from '../parts/Tip'

// Freshness says when somebody looked at the branch, and when it changed. The branch is silent while nothing happens.
export function Freshness() {
  const { data } = useMeta()
  if (!data) return <p className="freshness" />
  return (
    <p className="freshness">
      {data.user && (
        <span>
          signed in as {data.user}
          {data.signOut && (
            <button type="button" onClick={() => void signOut(data.signOut!)}>
              Sign out
            </button>
          )}
        </span>
      )}
      {data.reconciler && (
        <span>
          reconciler passed <Moment at={data.reconciler.ended ?? ''} none="never" />
        </span>
      )}
      <span>
        looked <Moment at={data.looked} none="never" />
      </span>
      <span>
        <Tip text={`branch ${data.branch} of ${data.repo}`}><span>branch</span></Tip> changed <Moment at={data.changed} none="never" /> <Commit hash={data.commit} />
      </span>
    </p>
  )
}
