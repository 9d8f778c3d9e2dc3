// GET /api/v1/heads: what may be merged into the branch that declares the fleet.
export interface Heads {
  base: string
  heads: Head[]
  more: boolean // there are older ones
}

export interface Head {
  name: string
  commit: string
  time?: string
  author: string
  subject: string
}
