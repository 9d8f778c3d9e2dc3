import type { Links } from '../parts/link'

// GET /api/v1/meta: what the server looks at, and when it last could.
export interface Meta {
  version: string
  repo: string
  branch: string
  commit: string // the tip of the status branch; "" as long as there is none
  changed: string // the time of the tip; "" or the zero time if there is none
  looked: string // the last look that succeeded
  error: string // why looking fails now
  whatIf: boolean
  plans: boolean
  edit?: boolean // files can be changed here, as a branch
  saves?: 'here' | 'push' | 'propose' | '' // in the clone, there and at its origin, or at the origin in the name of who has signed in
  live?: boolean // objects, events and logs of a cluster can be seen
  sourceCommit: string // that the newest commit is about
  base?: string // that drafts start from: the last commit of the clone
  links: Links
  unverified: string
  user?: string // who asks, where several people share the dashboard
  reconciler?: { ended?: string; ready: boolean; says: string; error: string } // what the reconciler says of itself, where it is asked
  signOut?: string // where a POST signs them out, where they sign in here
}
