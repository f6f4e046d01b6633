import BunnySandbox
import Glibc

exit(runSandbox())
