import { createHashHistory, createRootRoute, createRoute, createRouter, lazyRouteComponent, retainSearchParams } from '@tanstack/react-router'
import { exported } from './ask/exported'
import { FleetPage } from './fleet/FleetPage'
import { filtersOf, type Filters } from './fleet/filters'
import { Failure } from './parts/Answer'
import { parseSearch, text, writeSearch } from './shell/search'
import { logSearchOf, type LogSearch } from './live/search'
import { NotFound } from './shell/NotFound'
import { Shell } from './shell/Shell'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: (s: Record<string, unknown>): { at?: string } => ({ at: text(s.at) }),
  search: { middlewares: [retainSearchParams(['at'])] },
})

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: FleetPage,
  validateSearch: (s: Record<string, unknown>): Filters => filtersOf(s),
})

const tenant = createRoute({
  getParentRoute: () => root,
  path: '/tenants/$tenant',
  component: lazyRouteComponent(() => import('./tenant/TenantPage'), 'TenantPage'),
  validateSearch: (s: Record<string, unknown>): Filters => filtersOf(s),
})

const application = createRoute({
  getParentRoute: () => root,
  path: '/applications/$tenant/$name',
  component: lazyRouteComponent(() => import('./application/ApplicationPage'), 'ApplicationPage'),
})

const overview = createRoute({
  getParentRoute: () => application,
  path: '/',
  component: lazyRouteComponent(() => import('./application/Overview'), 'Overview'),
})

const decision = createRoute({
  getParentRoute: () => application,
  path: 'decision',
  component: lazyRouteComponent(() => import('./application/DecisionTab'), 'DecisionTab'),
})

const run = createRoute({
  getParentRoute: () => application,
  path: 'run',
  component: lazyRouteComponent(() => import('./application/RunTab'), 'RunTab'),
})

const history = createRoute({
  getParentRoute: () => application,
  path: 'history',
  component: lazyRouteComponent(() => import('./application/HistoryTab'), 'HistoryTab'),
})

const live = createRoute({
  getParentRoute: () => application,
  path: 'live',
  component: lazyRouteComponent(() => import('./live/LiveTab'), 'LiveTab'),
  validateSearch: (s: Record<string, unknown>): LogSearch => logSearchOf(s),
})

const edit = createRoute({
  getParentRoute: () => root,
  path: '/applications/$tenant/$name/edit',
  component: lazyRouteComponent(() => import('./editor/EditorPage'), 'EditorPage'),
  validateSearch: (s: Record<string, unknown>): { field?: string } => ({ field: text(s.field) }),
})

const editTenant = createRoute({
  getParentRoute: () => root,
  path: '/tenants/$tenant/edit',
  component: lazyRouteComponent(() => import('./editor/EditorPage'), 'EditorPage'),
  validateSearch: (s: Record<string, unknown>): { field?: string } => ({ field: text(s.field) }),
})

const editPlatform = createRoute({
  getParentRoute: () => root,
  path: '/platform/edit',
  component: lazyRouteComponent(() => import('./editor/EditorPage'), 'PlatformEditorPage'),
  validateSearch: (s: Record<string, unknown>): { field?: string } => ({ field: text(s.field) }),
})

const newApplication = createRoute({
  getParentRoute: () => root,
  path: '/new/application',
  component: lazyRouteComponent(() => import('./editor/NewApplicationPage'), 'NewApplicationPage'),
  validateSearch: (s: Record<string, unknown>): { tenant?: string } => ({ tenant: text(s.tenant) }),
})

const pools = createRoute({
  getParentRoute: () => root,
  path: '/pools',
  component: lazyRouteComponent(() => import('./pools/PoolsPage'), 'PoolsPage'),
})

const problems = createRoute({
  getParentRoute: () => root,
  path: '/problems',
  component: lazyRouteComponent(() => import('./problems/ProblemsPage'), 'ProblemsPage'),
})

const timeline = createRoute({
  getParentRoute: () => root,
  path: '/timeline',
  component: lazyRouteComponent(() => import('./timeline/TimelinePage'), 'TimelinePage'),
})

const plan = createRoute({
  getParentRoute: () => root,
  path: '/plan',
  component: lazyRouteComponent(() => import('./proposal/ProposalPage'), 'ProposalPage'),
  validateSearch: (s: Record<string, unknown>): { head?: string } => ({ head: text(s.head) }),
})

const licences = createRoute({
  getParentRoute: () => root,
  path: '/licences',
  component: lazyRouteComponent(() => import('./licences/LicencesPage'), 'LicencesPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    fleet, tenant, application.addChildren([overview, decision, run, history, live]), edit, editTenant, editPlatform, newApplication, pools, problems, timeline, plan, licences,
  ]),
  history: exported === undefined ? undefined : createHashHistory(), // a server of files knows one page only
  parseSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
  defaultPreload: false,
  defaultErrorComponent: ({ error }) => <Failure error={error instanceof Error ? error : new Error(String(error))} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
