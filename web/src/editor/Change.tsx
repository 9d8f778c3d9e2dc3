import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEdits } from './useEdits'

// Change leads to a field of an application in the editor, where there is one. The field is written as in a setting, after the
// application.
export function Change({ application, field, label, children = 'change' }: { application: string; field?: string; label?: string; children?: ReactNode }) {
  const able = useEdits()
  const [tenant = '', name = ''] = application.split('/')
  if (!able) return null
  return (
    <Link to="/applications/$tenant/$name/edit" params={{ tenant, name }} search={{ field }} className="change" aria-label={label}>
      {children}
    </Link>
  )
}

// ChangeLayer leads to a field of a tenant's or of the platform's files in the editor, where there is one.
export function ChangeLayer({ tenant, field, label, children }: { tenant?: string; field?: string; label?: string; children: ReactNode }) {
  if (!useEdits()) return null
  return tenant === undefined ? (
    <Link to="/platform/edit" search={{ field }} className="change" aria-label={label}>{children}</Link>
  ) : (
    <Link to="/tenants/$tenant/edit" params={{ tenant }} search={{ field }} className="change" aria-label={label}>{children}</Link>
  )
}
