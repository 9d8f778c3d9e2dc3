// GET /api/v1/pools: the capacity of the fleet.
export interface Pools {
  pools: Pool[]
}

export interface Pool {
  pool: string
  nodes: number
  declared?: boolean // the platform's files say its capacity, not its nodes
  os?: string[]
  runtimes?: string[]
  price: { cpu?: number; memory?: number } // millionths per core-hour and per GiB-hour
  resources: PoolResource[]
}

export interface PoolResource {
  resource: string
  capacity: number
  granted: number
  free: number
  tenants: NamedShare[] // that hold most
  others: number // what all other tenants hold
  bands: NamedShare[]
}

export interface NamedShare {
  name: string
  granted: number
}
