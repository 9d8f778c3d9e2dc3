import { Link } from '@tanstack/react-router'

// ApplicationLink names an application. One that may not be read has words in place of its name, and no page.
export function ApplicationLink({ of: application }: { of: string }) {
  const [tenant = '', name = ''] = application.split('/')
  if (name === '') return <>{application}</>
  return (
    <Link to="/applications/$tenant/$name" params={{ tenant, name }}>
      {application}
    </Link>
  )
}
