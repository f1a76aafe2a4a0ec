"""gpusupernodal for PETSc's configure.

Copy this file to config/BuildSystem/config/packages of PETSc's source (3.26; configure of 3.22 stops with an error) and add to its configure
  --download-gpusupernodal=<tarball or URL of gpusupernodal's source>
The solver is built after PETSc, with PETSc's compilers, and installed beside PETSc's library. Programs select it by options:
  -dll_append <libdir>/libgpusupernodal_petsc.so -pc_type cholesky -pc_factor_mat_solver_type gpusupernodal
With complex scalars the plugin is libgpusupernodal_petsc_complex.so.
"""
import importlib.util
import os

import config.package


class Configure(config.package.CMakePackage):
  def __init__(self, framework):
    config.package.CMakePackage.__init__(self, framework)
    self.minCmakeVersion  = (3,22,0)
    self.download         = ['<archive>']  # there is no default address; see consistencyChecks
    self.downloaddirnames = ['gpusupernodal']
    self.functions        = []
    self.includes         = []
    self.liblist          = [['libgpusupernodal.so']]
    self.buildLanguages   = ['Cxx']
    self.precisions       = ['single','double']
    self.complex          = 1
    self.linkedbypetsc    = 0
    self.useddirectly     = 0
    self.builtafterpetsc  = 1

  def setupDependencies(self, framework):
    config.package.CMakePackage.setupDependencies(self, framework)
    # The module is called cuda in PETSc 3.22 and CUDA in 3.26.
    name = 'CUDA' if importlib.util.find_spec('config.packages.CUDA') else 'cuda'
    self.cuda  = framework.require('config.packages.'+name,self)
    self.scalartypes = framework.require('PETSc.options.scalarTypes',self)
    self.odeps = [self.cuda]

  def consistencyChecks(self):
    config.package.CMakePackage.consistencyChecks(self)
    if self.argDB['download-gpusupernodal'] in (1,'1','yes','true'):
      raise RuntimeError('--download-gpusupernodal needs the path or the address of a source archive, for example\n'
                         '--download-gpusupernodal=$HOME/gpusupernodal.tar.gz')
    if self.argDB['download-gpusupernodal'] and not hasattr(self,'addPost'):
      raise RuntimeError('This PETSc cannot build a package that it does not know after itself (3.26 can). Configure PETSc without\n'
                         '--download-gpusupernodal, then build gpusupernodal by the three commands of its docs/clusters.md')

  def isComplex(self):
    return self.scalartypes.scalartype == 'complex'

  def cmakeArguments(self, prefix):
    '''Arguments of CMake; those of formCMakeConfigureArgs would force PETSc's warnings and C++ standard on the build.'''
    args = ['-DCMAKE_INSTALL_PREFIX='+prefix,'-DCMAKE_INSTALL_LIBDIR=lib','-DCMAKE_BUILD_TYPE=Release',
            '-DGPUSUPERNODAL_CLI=OFF','-DGPUSUPERNODAL_EXAMPLES=OFF','-DGPUSUPERNODAL_EIGEN=OFF']
    if self.isComplex():
      args += ['-DGPUSUPERNODAL_PETSC=OFF','-DGPUSUPERNODAL_PETSC_COMPLEX=ON',
               '-DGPUSUPERNODAL_PETSC_COMPLEX_DIR='+os.path.join(prefix,'lib','pkgconfig')]
    else:
      args += ['-DGPUSUPERNODAL_PETSC=ON','-DGPUSUPERNODAL_PETSC_COMPLEX=OFF']
    for language, variable in (('C','C'),('Cxx','CXX')):
      self.framework.pushLanguage(language)
      args.append('-DCMAKE_'+variable+'_COMPILER="'+self.framework.getCompiler()+'"')
      self.framework.popLanguage()
    if self.cuda.found:
      with self.Language('CUDA'):
        args.append('-DCMAKE_CUDA_COMPILER="'+self.getCompiler()+'"')
      args.append('-DGPUSUPERNODAL_CUDA=ON')
      architectures = [a.split('=')[1] for a in self.cuda.getCmakeCUDAArchFlag() if 'ARCHITECTURES=' in a]
      if architectures and architectures[0].strip('"') != 'all':
        args.append('-DGPUSUPERNODAL_CUDA_ARCHITECTURES='+architectures[0])
    else:
      args.append('-DGPUSUPERNODAL_CUDA=OFF')
    extra = self.argDB['download-'+self.downloadname.lower()+'-cmake-arguments']
    if extra: args.append(extra)
    return args

  def Install(self):
    installed = self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB
    prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix'])) if installed else os.path.join(self.petscdir.dir,self.arch)
    args = ' '.join(self.cmakeArguments(prefix))
    conffile = os.path.join(self.packageDir,self.package+'.petscconf')
    with open(conffile,'w') as file: file.write(args)
    if not self.installNeeded(conffile): return self.installDir
    if not self.cmake.found:
      raise RuntimeError('CMake 3.22 or newer is needed to build gpusupernodal. Run configure again with --download-cmake')

    folder = os.path.join(self.packageDir,'petsc-build')
    plugin = os.path.join(prefix,'lib','libgpusupernodal_petsc'+('_complex' if self.isComplex() else '')+'.so')
    self.directory = prefix
    self.addPost(self.packageDir, [
      'rm -rf '+folder,
      'PKG_CONFIG_PATH='+os.path.join(prefix,'lib','pkgconfig')+':$$PKG_CONFIG_PATH '+self.cmake.cmake+' -S . -B '+folder+' '+args,
      self.cmake.cmake+' --build '+folder+' -j'+str(self.make.make_np),
      self.cmake.cmake+' --install '+folder])
    self.logPrintBox('After the build, programs select gpusupernodal by these options:\n -dll_append '+plugin+
                     ' -pc_type cholesky -pc_factor_mat_solver_type gpusupernodal')
    return self.installDir

  def configureLibrary(self):
    self.checkDownload()
